import type { Facts, LedgerFact, RunFact } from '../world/facts.ts';
import type { Outcome, Params } from './expected.ts';
import { isOwnConversation, isWithinReach, mayRead } from './reach.ts';
import { mayLookInto, maySearch } from './said-rules.ts';

/** What the grant and the scope of a run make of a call, by method: `ok`, `unauthorized` or `not_found`. */
type Rule = (run: RunFact, params: Params, facts: Facts, at: number) => Outcome;

const granted = (isGranted: boolean): Outcome => (isGranted ? 'ok' : 'unauthorized');

/** The flag first, so that who was not granted a call learns nothing about what it names. */
const flagged =
  (flag: keyof RunFact['grant']['apis'], then: Rule = () => 'ok'): Rule =>
  (run, params, facts, at) =>
    run.grant.apis[flag] ? then(run, params, facts, at) : 'unauthorized';

const ownRun: Rule = (run, { target_run_id }, { ledger }) => {
  const row: LedgerFact | undefined = ledger.find(({ run_id }) => run_id === target_run_id);
  return row !== undefined && isOwnConversation(run, row.place) ? 'ok' : 'not_found';
};

const ownArtifact: Rule = (run, { artifact_id }, { artifacts }, at) => {
  const artifact = artifacts.find((each) => each.artifact_id === artifact_id);
  return artifact !== undefined && mayRead(run, artifact, at) ? 'ok' : 'not_found';
};

/** An event of the run itself is its own, wherever it lies. */
const ownEvent: Rule = (run, { event_id }, { said }) => {
  const event = said.find((each) => each.event_id === event_id);
  if (event === undefined) return 'not_found';
  return event.run_id === run.run_id || isWithinReach(run, event.place) ? 'ok' : 'not_found';
};

const conversation: Rule = (run, { conversation_id }, facts) => granted(mayLookInto(run, conversation_id, facts));
const anyQuestion: Rule = ({ grant }) => granted(grant.interactions.length > 0);

const stateScope: Rule = ({ grant }, { scope }) => granted((grant.state_scopes as readonly unknown[]).includes(scope));
const storageArea: Rule = ({ grant: { resources } }, { area }) => {
  const { plugin_storage, workspace_storage, binding_storage } = resources.storage;
  return granted(
    { plugin: plugin_storage, workspace: workspace_storage, binding: binding_storage }[String(area)] === true,
  );
};
const anyStorage: Rule = ({ grant: { resources } }) => granted(Object.values(resources.storage).includes(true));

export const grantRules: Readonly<Record<string, Rule>> = {
  'history.page': flagged('history_page', conversation),
  'history.search': flagged('history_search', (run, params, facts) => granted(maySearch(run, params, facts))),
  'events.get': flagged('event_get', ownEvent),
  'events.page': flagged('event_page', conversation),
  'interactions.request': ({ grant }, { request }) =>
    granted(grant.interactions.includes(String((request as Params).kind))),
  'interactions.get': anyQuestion,
  'interactions.wait': anyQuestion,
  'platform.request_action': ({ grant }, { action }) => granted(grant.platform_api.includes(String(action))),
  'artifacts.metadata': flagged('artifact_metadata', ownArtifact),
  'artifacts.read_range': flagged('artifact_read', ownArtifact),
  'artifacts.open_stream': flagged('artifact_read', ownArtifact),
  'artifacts.write': ({ grant: { apis } }) => granted(apis.artifact_metadata || apis.artifact_read),
  'state.get': stateScope,
  'state.set': stateScope,
  'state.delete': stateScope,
  'state.list': stateScope,
  'storage.get': storageArea,
  'storage.set': storageArea,
  'storage.delete': storageArea,
  'storage.list': storageArea,
  'storage.write': anyStorage,
  'prompt.get': flagged('prompt_get'),
  'steering.pull': flagged('steering_pull'),
  'runs.get': flagged('run_get', ownRun),
  'runs.events_page': flagged('run_events_page', ownRun),
  'runs.cancel': flagged('run_cancel', ownRun),
  'runs.list': flagged('run_list', ({ place }, { conversation_id }) =>
    granted(conversation_id === undefined || conversation_id === null || conversation_id === place.conversation_id),
  ),
};
