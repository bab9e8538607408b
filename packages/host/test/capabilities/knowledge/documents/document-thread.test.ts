import { expect, test } from 'vitest';
import { DocumentError } from '../../../../src/capabilities/knowledge/documents/document-error.ts';
import type { DocumentFile } from '../../../../src/capabilities/knowledge/documents/document-reading.ts';
import { DocumentThread } from '../../../../src/capabilities/knowledge/documents/document-thread.ts';
import { programs } from '../../../../src/main/programs.ts';
import { ManualClock } from '../../../manual-clock.ts';

function file(content: string, kind: DocumentFile['kind'] = 'text'): DocumentFile {
  return { bytes: new Uint8Array(Buffer.from(content)), name: 'a.txt', kind, charset: null };
}

function threadOf(words: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(words)}`);
}

test('a document comes over in steps that the host can take at once', async () => {
  const text = Array.from({ length: 2000 }, (_, i) => `Paragraph ${i} ${'word '.repeat(150)}`).join('\n\n');
  const { thread, total } = await DocumentThread.read(file(text), {
    program: programs.documentWorker,
    clock: new ManualClock(),
  });
  const steps: number[] = [];
  for (let step = await thread.more(); step.length > 0; step = await thread.more()) {
    steps.push(step.length);
    expect(Buffer.byteLength(JSON.stringify(step))).toBeLessThan(300_000);
  }
  expect(steps.length).toBeGreaterThan(5);
  expect(steps.reduce((sum, count) => sum + count, 0)).toBe(total);
  await thread.close();
});

test('a document that takes too long is given up, whatever its reader is doing', async () => {
  const clock = new ManualClock();
  const busy = threadOf(
    `import('node:worker_threads').then(({ parentPort }) => parentPort.on('message', () => { for (;;); }))`,
  );
  const reading = DocumentThread.read(file('x'), { program: busy, clock });
  const refusal = reading.catch((error: unknown) => error);
  clock.advance(60_001);
  expect(await refusal).toMatchObject({
    problem: { reason: 'DOCUMENT_TOO_LARGE', message: 'a.txt takes longer than 60 s to read.' },
  });
});

test('a document that takes too much memory ends its thread, not the host', async () => {
  const greedy = threadOf(
    `import('node:worker_threads').then(({ parentPort }) => parentPort.on('message', () => { const all = []; for (;;) all.push(new Array(1e5).fill({})); }))`,
  );
  const reading = DocumentThread.read(file('x'), { program: greedy, clock: new ManualClock(), memory_mib: 16 });
  await expect(reading).rejects.toMatchObject({ problem: { code: 'payload_too_large', reason: 'DOCUMENT_TOO_LARGE' } });
});

test('whatever a reader throws is told as the fault of the document', async () => {
  const broken = threadOf(
    `import('node:worker_threads').then(({ parentPort }) => parentPort.on('message', () => { throw new Error('deep inside'); }))`,
  );
  const failure = await DocumentThread.read(file('x'), { program: broken, clock: new ManualClock() }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(DocumentError);
  expect(failure).toMatchObject({ message: 'a.txt cannot be read.', problem: { reason: 'DOCUMENT_UNREADABLE' } });
});

test('the thread has none of the variables of the host', async () => {
  process.env.ROSTRA_CANARY = 'a-key-that-nobody-may-see';
  const curious = threadOf(
    `import('node:worker_threads').then(({ parentPort }) => parentPort.on('message', () => parentPort.postMessage({ total: Object.keys(process.env).length })))`,
  );
  const { thread, total } = await DocumentThread.read(file('x'), { program: curious, clock: new ManualClock() });
  expect(total).toBe(0);
  await thread.close();
  delete process.env.ROSTRA_CANARY;
});
