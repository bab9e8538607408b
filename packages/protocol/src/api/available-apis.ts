import type { ContextAPICapabilities } from '../runner/run-context.ts';
import type { ApiMethodName } from './api-methods.ts';

/** The flag of `ctx.context.available_apis` behind a call; a call without one is granted resource by resource. */
export const availableApiOf = {
  'history.page': 'history_page',
  'history.search': 'history_search',
  'events.get': 'event_get',
  'events.page': 'event_page',
  'artifacts.metadata': 'artifact_metadata',
  'artifacts.read_range': 'artifact_read',
  'artifacts.open_stream': 'artifact_read',
  'state.get': 'state',
  'state.set': 'state',
  'state.delete': 'state',
  'state.list': 'state',
  'storage.get': 'storage',
  'storage.set': 'storage',
  'storage.write': 'storage',
  'storage.delete': 'storage',
  'storage.list': 'storage',
  'prompt.get': 'prompt_get',
  'steering.pull': 'steering_pull',
  'runs.get': 'run_get',
  'runs.list': 'run_list',
  'runs.events_page': 'run_events_page',
  'runs.cancel': 'run_cancel',
} as const satisfies Partial<Record<ApiMethodName, keyof ContextAPICapabilities>>;
