import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ToolAnswer } from '../../src/capabilities/tools/tool-source.ts';
import { ToolArtifacts } from '../../src/proxy/tool-artifacts.ts';
import { ToolResults } from '../../src/proxy/tool-results.ts';
import { RunnerDataWorld, refusalOf, type TestRun } from './runner-data-world.ts';
import { said } from './test-tools.ts';

const origin = { tool_name: 'sky__weather', owner: 'mcp:sky' };
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

describe('what a tool gave back', () => {
  let world: RunnerDataWorld;
  let run: TestRun;
  let results: ToolResults;
  let ids = 0;

  beforeEach(async () => {
    world = await RunnerDataWorld.open();
    run = world.run();
    const newId = () => {
      ids += 1;
      return `${world.workspace_id}-result-${ids}`;
    };
    results = new ToolResults(new ToolArtifacts({ artifacts: world.store.artifacts, clock: world.clock, newId }));
  });

  const of = (answer: ToolAnswer) => results.of(run, origin, answer);
  const artifacts = async () =>
    (await world.store.artifacts.page('c', world.clock.now())).rows.filter(
      ({ workspace_id }) => workspace_id === world.workspace_id,
    );

  it('is told as it is, up to 256 KiB', async () => {
    const text = 'x'.repeat(limits.tool_result_bytes);
    expect(await of(said(text))).toBe(text);
    expect(await of(said({ a: [1, null] }))).toEqual({ a: [1, null] });
    expect(await artifacts()).toEqual([]);
  });

  it('is an artifact of the conversation beyond that, of which the run is told the beginning (case 65)', async () => {
    const text = `${'é'.repeat(limits.tool_preview_chars - 1)}😀${'x'.repeat(limits.tool_result_bytes)}`;
    const told = await of(said(text));
    const [row] = await artifacts();
    expect(row).toMatchObject({
      name: 'sky__weather-result.txt',
      mime_type: 'text/plain',
      size_bytes: Buffer.byteLength(text),
      session_id: 'c',
      run_id: run.run_id,
      agent_id: 'guide',
      metadata: { tool_name: 'sky__weather', source: 'mcp:sky' },
    });
    expect(told).toEqual({
      artifact: {
        artifact_id: row?.artifact_id,
        name: row?.name,
        mime_type: 'text/plain',
        size_bytes: row?.size_bytes,
        sha256: row?.sha256,
      },
      preview: 'é'.repeat(limits.tool_preview_chars - 1),
      truncated: true,
    });
    const piece = await world.call(run, 'artifacts.read_range', {
      artifact_id: row?.artifact_id ?? '',
      offset: 0,
      length: limits.piece_bytes,
    });
    expect(Buffer.from(piece.content_base64, 'base64').toString()).toBe(text);
  });

  it('is a file of JSON when it was data', async () => {
    const data = { rows: Array.from({ length: 30_000 }, (_, n) => `row ${n}`) };
    expect(await of(said(data))).toMatchObject({
      truncated: true,
      preview: expect.stringMatching(/^\{"rows":\["row 0"/),
    });
    expect(await artifacts()).toMatchObject([{ name: 'sky__weather-result.json', mime_type: 'application/json' }]);
  });

  it('is beside its files, which are kept as what they are and not as what they are called', async () => {
    const files = [
      { name: '../../map.png', mime_type: 'image/png', bytes: png },
      { name: 'page', mime_type: 'image/svg+xml', bytes: Buffer.from('<svg onload="x()"/>') },
    ];
    const told = await of({ content: 'a map', is_error: false, files });
    expect(told).toMatchObject({
      content: 'a map',
      files: [
        { name: 'map.png', mime_type: 'image/png', size_bytes: png.byteLength },
        { name: 'page', mime_type: 'text/plain' },
      ],
    });
    expect(await artifacts()).toHaveLength(2);
  });

  it('is refused beyond 20 MiB in all, and nothing of it is kept (case 65)', async () => {
    const half = Buffer.alloc(limits.artifact_bytes / 2);
    const file = { name: 'f', mime_type: 'application/octet-stream', bytes: half };
    expect(await refusalOf(of(said('x'.repeat(limits.artifact_bytes + 1))))).toMatchObject({
      code: 'payload_too_large',
    });
    expect(await refusalOf(of({ content: 'x', is_error: false, files: [file, file] }))).toMatchObject({
      code: 'payload_too_large',
    });
    const many = Array.from({ length: limits.tool_files + 1 }, () => ({ ...file, bytes: png }));
    expect(await refusalOf(of({ content: '', is_error: false, files: many }))).toMatchObject({
      code: 'payload_too_large',
    });
    expect(await artifacts()).toEqual([]);
  });

  it('fills no disk: the tools of a run make so many artifacts and no more', async () => {
    const files = Array.from({ length: limits.tool_files }, () => ({ name: 'f', mime_type: 'image/png', bytes: png }));
    const most = Math.floor(limits.run_artifacts / limits.tool_files);
    for (let n = 0; n < most; n += 1) await of({ content: '', is_error: false, files });
    expect(await refusalOf(of({ content: '', is_error: false, files }))).toMatchObject({
      code: 'rate_limited',
      reason: 'TOO_MANY_ARTIFACTS',
    });
    run = world.run();
    await of({ content: '', is_error: false, files: files.slice(0, 1) });
  });

  it('is not kept when the run is over before it is', async () => {
    const keeping = of(said('x'.repeat(limits.tool_result_bytes + 1)));
    run.end();
    expect(await refusalOf(keeping)).toMatchObject({ code: 'unauthorized' });
    expect(await artifacts()).toEqual([]);
  });

  it('is thrown when the tool says that it failed, as much of it as a refusal holds', async () => {
    const failure = await refusalOf(of({ content: { error: 'x'.repeat(10_000) }, is_error: true, files: [] }));
    expect(failure).toMatchObject({ code: 'runtime_error', reason: 'TOOL_FAILED' });
    expect(failure.message).toHaveLength(limits.failure_message_chars);
    const silent = await refusalOf(of({ content: '', is_error: true, files: [] }));
    expect(silent.message).toBe('"sky__weather" failed: it did not say why.');
  });
});
