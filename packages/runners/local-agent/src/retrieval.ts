import { type AgentInput, ApiError, type KnowledgeEntry } from '@rostra/runner-sdk';
import { cut } from './cut.ts';
import { patiently } from './patience.ts';
import type { TurnRun } from './turn-run.ts';

const QUERY_CHARS = 1000;
const PASSAGE_CHARS = 4000;
const TOP_MAX = 50;
/** How many candidates a model that ranks is given for each passage that is wanted. */
const CANDIDATES = 4;
const RERANK_MAX = 64;

export interface Retrieved {
  readonly entries: readonly KnowledgeEntry[];
  /** A base could not be searched: the model must know, or it takes silence for an answer. */
  readonly isPartial: boolean;
}

/** Bases that this agent searches: those of its configuration, or all that it was granted. */
export function basesOf({ context, settings }: TurnRun): string[] {
  const granted = context.resources.knowledge_bases.filter(({ operations }) => operations.includes('retrieve'));
  const ids = granted.map(({ kb_id }) => kb_id);
  return settings.knowledge_bases === null ? ids : ids.filter((id) => settings.knowledge_bases?.includes(id));
}

export async function retrieved(run: TurnRun, fileChars: number): Promise<Retrieved> {
  const query = queryOf(run.context.input);
  const bases = basesOf(run);
  if (query === '' || bases.length === 0) return { entries: [], isPartial: false };
  const { top_k, rerank_model } = run.settings;
  const wanted = rerank_model === null ? top_k : Math.min(TOP_MAX, top_k * CANDIDATES);
  const found = await Promise.all(bases.map((kb_id) => search(run, kb_id, query, wanted)));
  const all = interleaved(found.map((each) => each ?? []));
  const ranked = await rerank(run, query, all);
  const chars = Math.min(PASSAGE_CHARS, Math.floor(fileChars / top_k));
  const entries = ranked.slice(0, top_k).map((entry) => ({ ...entry, content: cut(entry.content, chars) }));
  return { entries, isPartial: found.includes(null) };
}

function queryOf({ text, contents }: AgentInput): string {
  const said = text ?? contents.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
  return said.trim().slice(0, QUERY_CHARS);
}

/** Null: it could not be searched. */
async function search(
  { tools }: TurnRun,
  kb_id: string,
  query_text: string,
  top_k: number,
): Promise<KnowledgeEntry[] | null> {
  try {
    const { results } = await patiently(tools, () => tools.api.knowledge.retrieve({ kb_id, query_text, top_k }));
    return results;
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return null;
  }
}

/** Scores of different bases have no common measure: the best of each first, then the second of each. */
function interleaved(lists: readonly (readonly KnowledgeEntry[])[]): KnowledgeEntry[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? [])).flat();
}

/** By the model that ranks, where there is one; as they were found where it fails. */
async function rerank(run: TurnRun, query: string, entries: readonly KnowledgeEntry[]): Promise<KnowledgeEntry[]> {
  const { settings, tools } = run;
  const { rerank_model: model_id } = settings;
  const candidates = entries.slice(0, RERANK_MAX);
  if (model_id === null || candidates.length < 2) return [...entries];
  const documents = candidates.map(({ content }) => content.slice(0, PASSAGE_CHARS));
  try {
    const top_k = Math.min(settings.top_k, documents.length);
    const { results } = await patiently(tools, () => tools.api.models.rerank({ model_id, query, documents, top_k }));
    return results.flatMap(({ index }) => candidates[index] ?? []);
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return [...entries];
  }
}
