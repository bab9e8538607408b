import { AgentRunnerCapabilities } from '@rostra/protocol/runner/manifest';
import { beforeEach, describe, expect, it } from 'vitest';
import { HybridRetriever } from '../../../src/capabilities/knowledge/hybrid-retriever.ts';
import { KnowledgeShelf } from '../../../src/capabilities/knowledge/knowledge-shelf.ts';
import { SystemClock } from '../../../src/main/system-clock.ts';
import { knowledgeFamily } from '../../../src/proxy/families/knowledge.ts';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import { baseRow, chunksOf, documentRow, index } from '../../store/ports/knowledge-rows.ts';
import { activeRun, asksForAll, everything, GateBench, refusal, type TestRun } from '../gate-bench.ts';

const capabilities = AgentRunnerCapabilities.parse({ knowledge_retrieval: true });

describe('knowledge', () => {
  let gate: GateBench;
  let run: TestRun;
  beforeEach(async () => {
    const { knowledge } = new MemoryStore();
    for (const kb_id of ['manual', 'private']) await knowledge.putBase(baseRow(kb_id, { name: `The ${kb_id}` }));
    await knowledge.putDocument(documentRow('manual', 'doc', { metadata: { lang: 'zh' } }));
    await index(knowledge, 'doc', chunksOf(['保修期为两年。', 'Press the red button twice.', 'Press nothing else.']));
    await knowledge.putDocument(documentRow('private', 'secret'));
    await index(knowledge, 'secret', chunksOf(['The red button is a decoy.']));
    const shelf = new KnowledgeShelf({ knowledge, workspace_id: 'w' });
    await shelf.refresh();
    const models = { find: () => null };
    const config = () => ({ rerank: null });
    const retriever = new HybridRetriever({
      knowledge,
      models,
      config,
      clock: new SystemClock(),
      report: () => undefined,
    });
    gate = new GateBench(knowledgeFamily({ shelf, retriever }));
    run = activeRun('r', { manifest: { ...asksForAll, capabilities } });
  });

  it('retrieve answers with entries of one granted base, the best first, with their source (RP-7.13)', async () => {
    expect(await gate.call(run, 'knowledge.retrieve', { kb_id: 'manual', query_text: 'red button' })).toEqual({
      results: [
        {
          entry_id: 'doc.1.1',
          content: 'Press the red button twice.',
          score: 1,
          source: 'doc.txt, page 2',
          metadata: { lang: 'zh', document_id: 'doc', document_name: 'doc.txt', position: 1, page: 2 },
        },
      ],
    });
    const press = { kb_id: 'manual', query_text: 'press', top_k: 1 };
    expect(await gate.call(run, 'knowledge.retrieve', press)).toMatchObject({ results: [{ entry_id: 'doc.1.2' }] });
    const chinese = { kb_id: 'manual', query_text: '保修期多长', filters: { lang: 'zh' } };
    expect(await gate.call(run, 'knowledge.retrieve', chinese)).toMatchObject({ results: [{ entry_id: 'doc.1.0' }] });
    const wrong = { kb_id: 'manual', query_text: 'x', filters: { lang: { $gt: '' } } };
    expect(await refusal(gate.call(run, 'knowledge.retrieve', wrong))).toMatchObject({ code: 'invalid_argument' });
  });

  it('a base that was not granted is refused alike whether or not it exists', async () => {
    const answers = ['private', 'nothing'].map((kb_id) =>
      refusal(gate.call(run, 'knowledge.retrieve', { kb_id, query_text: 'decoy' })),
    );
    const [known, unknown] = await Promise.all(answers);
    expect(known).toMatchObject({ code: 'unauthorized' });
    expect(JSON.stringify(known)).toBe(JSON.stringify(unknown));
  });

  it('list names the granted bases and no others', async () => {
    const answer = { knowledge_bases: [{ kb_id: 'manual', name: 'The manual', description: 'All of it.' }] };
    expect(await gate.call(run, 'knowledge.list', {})).toEqual(answer);
    const without = activeRun('s', {
      manifest: { ...asksForAll, capabilities },
      offers: { ...everything, knowledge_bases: [] },
    });
    expect(await refusal(gate.call(without, 'knowledge.list', {}))).toMatchObject({ code: 'unauthorized' });
  });
});
