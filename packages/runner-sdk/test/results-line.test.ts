import { everyResult, type RunResult } from '@rostra/protocol/runner/run-result';
import { ResultsParams } from '@rostra/protocol/runner/wire-params';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed, text } from '../src/result.ts';
import { ResultsLine } from '../src/results-line.ts';

/** Plain words, and what JSON escapes or UTF-8 takes several bytes for. */
const words = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.constantFrom('chunk-1 ', '"', '\\', '\n', '\u007f', '数据库', '\ud800', '\u2028', '~', ' '),
);

test('a line says every result in order, and is as long as was charged for it', () => {
  fc.assert(
    fc.property(fc.array(words), fc.string({ unit: 'binary' }), fc.boolean(), (said, run_id, joins) => {
      const results: RunResult[] = [...said.map((each) => text(each)), completed()];
      const line = new ResultsLine(run_id, joins);
      const charged = results.reduce((sum, result) => sum + line.add(result), 0);
      const taken = line.take() ?? '';
      expect(charged).toBe(Buffer.byteLength(taken));
      const { method, params } = JSON.parse(Buffer.from(taken).toString());
      expect([method, params.run_id]).toEqual(['RESULTS', JSON.parse(JSON.stringify(run_id))]);
      const told = everyResult(ResultsParams.parse(params).results);
      const asJson = JSON.parse(JSON.stringify(results.map(({ type, data }, index) => [index + 1, type, data])));
      expect(told).toEqual(asJson);
      expect(line.isEmpty).toBe(true);
    }),
  );
});
