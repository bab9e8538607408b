import { collect, planned, tested } from './requirement.ts';

const context = 'packages/kernel/test/context/run-context.test.ts';
const manifest = 'packages/protocol/test/runner/manifest.test.ts';
const schemas = 'test/schema-drift.test.ts';
const misbehaviour = 'packages/host/test/orchestrator/misbehaviour.test.ts';
const bootstrap = 'packages/kernel/test/context/bootstrap.test.ts';
const staticRefs = 'packages/kernel/test/context/static-refs.test.ts';
const runContext = 'packages/host/test/orchestrator/context.test.ts';
const tidy = 'test/tidy.test.ts';
const records = 'packages/protocol/test/record/definition.test.ts';
const proxyTests = 'packages/host/test/proxy';
const history = `${proxyTests}/families/history.test.ts`;
const events = `${proxyTests}/families/events.test.ts`;
const oracle = 'test/oracle.test.ts';
const projection = 'test/projection.test.ts';
const demoAsks = 'test/e2e/demo-asks.test.ts';
const asking = 'packages/runner-sdk/test/asking.test.ts';
const agentCalls = 'packages/runners/local-agent/test/cancel.test.ts';
const transcript = 'packages/kernel/test/projection/transcript.test.ts';

export const contextRequirements = collect(
  tested({
    'CX-1.7': [schemas, 'knows no max-round (RP-3.25)'],
    'CX-1.9': [records, 'name raw events, tool calls, results of delivery, errors and system events (CX-1.9)'],
  }),
  planned('CX-1.5'),
  tested({
    'CX-1.2': [
      context,
      'serves whoever leans on it, whoever manages itself and whoever needs only the event, each as it asks',
    ],
    'CX-6.6': [bootstrap, 'has the same summary, byte for byte, until the runner stores another one'],
    'CX-6.8': [runContext, 'names what may be called and what does not change byte for byte while the talk grows'],
    'CX-7.5': [
      'packages/host/test/entries/pipeline-adapter.test.ts',
      'has no secret of variables or configuration anywhere',
    ],
    'CX-8.3': ['test/substrate.test.ts', 'has no state that only a local agent uses'],
    'CX-9.2': [
      'packages/host/test/entries/pipeline-adapter.test.ts',
      'has the context of the same event by the event gateway, and its adapter beside it',
    ],
  }),
  tested({
    'CX-2.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-2.2': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-2.3': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-2.5': [tidy, 'packages import each other in one direction only'],
    'CX-2.6': [context, 'a message: its sender acts, the message is the subject, its input is the input'],
    'CX-2.8': [context, 'a message: its sender acts, the message is the subject, its input is the input'],
    'CX-2.9': [context, 'says how an answer is delivered'],
    'CX-2.11': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
    'CX-2.12': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  tested({ 'CX-2.15': [bootstrap, 'is never more than manifest and agent both ask for'] }),
  tested({
    'CX-2.13': [
      'packages/host/test/entries/event-gateway.test.ts',
      'becomes an artifact of the session that the event names by raw_ref',
    ],
    'CX-2.16': [
      'packages/host/test/entries/pipeline-adapter.test.ts',
      'turns max-round into a bootstrap and nothing else',
    ],
  }),
  tested({
    'CX-3.3': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-4.15', 'CX-4.16', 'CX-4.17', 'CX-4.18', 'CX-4.19', 'CX-4.20', 'CX-4.21', 'CX-4.22', 'CX-4.23'),
  tested({
    'CX-5.1': [manifest, 'leaves the context to the runner by default'],
    'CX-5.2': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  tested({
    'CX-6.2': [context, 'names the host, the deadline in seconds and the key of the session'],
    'CX-6.4': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  tested({
    'CX-7.1': [misbehaviour, 'names runs that it was not given (RP-6.13)'],
  }),
  tested({
    'CX-8.4': [agentCalls, 'a run in which nothing is cancelled makes every one of these calls'],
    'CX-8.5': [agentCalls, 'a run in which nothing is cancelled makes every one of these calls'],
  }),
  tested({
    'CX-9.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-9.3'),
  tested({
    'CX-2.7': [context, 'a message: its sender acts, the message is the subject, its input is the input'],
    'CX-2.10': [runContext, 'offers the calls that the host serves, the manifest asks for and the agent allows'],
    'CX-2.14': [bootstrap, 'is the smaller of the numbers that are named, and never beyond 200 items and 256 KiB'],
    'CX-3.1': [context, 'say where its log and its transcript end, and whether there is something before this turn'],
    'CX-3.2': [context, 'say where its log and its transcript end, and whether there is something before this turn'],
    'CX-4.10': [bootstrap, 'carries references to artifacts, whole contents, and nothing that is no message'],
    'CX-5.3': [runContext, 'are inlined when manifest and agent both ask for them'],
    'CX-5.4': [bootstrap, 'is the runner’s own checkpoint and what came after it, given as %s'],
    'CX-5.5': [bootstrap, 'without a checkpoint (%j) is a recent tail: the host makes no summary'],
    'CX-5.6': [runContext, 'refers to what does not change by references that stay the same from run to run'],
    'CX-6.3': [staticRefs, 'change where the content changes and nowhere else (CX-6.3)'],
  }),
  tested({
    'CX-4.11': ['packages/kernel/test/grant/artifact-place.test.ts', 'where an artifact may be read (CX-4.11)'],
    'CX-4.12': [
      `${proxyTests}/families/artifacts.test.ts`,
      'is read back in ranges, byte by byte, and expires (RP-7.20, CX-4.12)',
    ],
    'CX-4.13': [
      `${proxyTests}/families/state.test.ts`,
      'is set, read, listed and deleted by the next run (check 44, RP-7.23)',
    ],
    'CX-4.14': [
      `${proxyTests}/families/state.test.ts`,
      'of an agent that stored nothing costs one look at the store and then none, until it stores something',
    ],
  }),
  tested({
    'CX-4.2': [history, 'goes back from the newest and forward from the oldest, in the order of the talk (RP-7.14)'],
    'CX-4.3': [history, 'clamps a page that is too large and refuses one that is none (case 44)'],
    'CX-4.4': [history, 'thread %s and bot %s see nothing else (check 34)'],
    'CX-4.5': [history, 'is read with one, and audited with it (check 33, CX-4.5)'],
    'CX-4.6': [history, 'names artifacts, and says more of them when asked (CX-4.6)'],
    'CX-4.7': [history, 'narrows by kind, role and time'],
    'CX-4.8': [
      'packages/host/test/store/ports/search.suite.ts',
      'finds text without spaces by pairs of characters (RP-7.15)',
    ],
    'CX-4.9': [events, 'are inputs, tool calls and what the session did, newest first (CX-4.9)'],
    'CX-7.4': [
      history,
      'is refused without a widened scope, with the same words whether or not it exists (check 33, case 40)',
    ],
  }),
  tested({
    'CX-1.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-1.3': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-1.4': [demoAsks, '/history reads what was said, and finds what it is about in a script without spaces'],
    'CX-1.6': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-1.8': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-1.10': [projection, 'has the transcript that its log gives when it is read again, page by page'],
    'CX-1.11': [records, 'name raw events, tool calls, results of delivery, errors and system events (CX-1.9)'],
    'CX-1.12': [runContext, 'are inlined when manifest and agent both ask for them'],
    'CX-2.4': [asking, 'the runner that docs/writing-a-runner.md shows asks its host for everything, and gets it'],
    'CX-4.1': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-6.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-6.5': [transcript, 'keeps what was said, and has its change or withdrawal as an item of its own (CX-6.5)'],
    'CX-6.7': [demoAsks, '/artifact %i comes back byte by byte'],
    'CX-6.9': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'CX-7.2': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-7.3': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-7.6': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-7.7': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'CX-8.1': [demoAsks, '/state keeps a value that a later turn reads and was told at its start (check 51)'],
    'CX-8.2': [bootstrap, 'without a checkpoint (%j) is a recent tail: the host makes no summary'],
  }),
);
