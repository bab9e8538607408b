import type { RunFact } from '../world/facts.ts';
import type { Params } from './expected.ts';

/** By which of its params a call is known in the audit, the most telling first. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  models: ['model_id'],
  tools: ['tool_name'],
  knowledge: ['kb_id'],
  history: ['conversation_id'],
  events: ['event_id', 'conversation_id'],
  artifacts: ['artifact_id', 'upload_id'],
  state: ['key'],
  storage: ['upload_id', 'key'],
  interactions: ['interaction_id'],
  platform: ['action'],
  runs: ['target_run_id', 'conversation_id'],
};

function familyOf(method: string): string {
  return method.slice(0, method.indexOf('.'));
}

export function resourceOf(method: string, params: Params): string | null {
  const filters = (typeof params.filters === 'object' && params.filters !== null ? params.filters : {}) as Params;
  for (const name of subjects[familyOf(method)] ?? []) {
    const word = [params[name], filters[name]].find((each) => typeof each === 'string');
    if (word !== undefined) return String(word).slice(0, 256);
  }
  return null;
}

/** How far a call reached that got as far as its grant. */
export function scopeOf(method: string, params: Params, run: RunFact): string | null {
  switch (familyOf(method)) {
    case 'state':
      return String(params.scope);
    case 'storage':
      return params.area === undefined ? null : String(params.area);
    case 'history':
    case 'events':
      return run.grant.resources.history.scope ?? 'conversation';
    case 'artifacts':
    case 'runs':
      return 'conversation';
    default:
      return null;
  }
}
