import { collect, planned, tested } from './requirement.ts';

const manifest = 'packages/protocol/test/runner/manifest.test.ts';
const parts = 'packages/protocol/test/runner/run-context.test.ts';
const schemas = 'test/schema-drift.test.ts';
const context = 'packages/kernel/test/context/run-context.test.ts';
const takeResult = 'packages/kernel/test/run/take-result.test.ts';
const discovery = 'packages/host/test/discovery/supervised-pool.test.ts';
const orchestrator = 'packages/host/test/orchestrator/orchestrator.test.ts';
const results = 'packages/host/test/orchestrator/results.test.ts';
const misbehaviour = 'packages/host/test/orchestrator/misbehaviour.test.ts';
const grant = 'packages/kernel/test/grant/grant.test.ts';
const bootstrap = 'packages/kernel/test/context/bootstrap.test.ts';
const staticRefs = 'packages/kernel/test/context/static-refs.test.ts';
const forcedCancel = 'packages/host/test/orchestrator/forced-cancel.test.ts';
const resolveAgent = 'packages/host/test/orchestrator/resolve-agent.test.ts';
const serve = 'packages/runner-sdk/test/serve.test.ts';
const runApi = 'packages/runner-sdk/test/run-api.test.ts';
const liveRun = 'packages/runner-sdk/test/live-run.test.ts';
const sqlitePorts = 'packages/host/test/store/sqlite/sqlite-ports.test.ts';
const portSuites = 'packages/host/test/store/ports';
const demo = 'packages/runners/demo/test/process.test.ts';

export const runnerProtocolRequirements = collect(
  tested({
    'RP-1.2': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
  }),
  planned('RP-1.1', 'RP-1.3', 'RP-1.4'),
  tested({
    'RP-2.2': [orchestrator, 'is acknowledged by the runner, says its message and ends'],
    'RP-2.4': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
  }),
  planned('RP-2.1', 'RP-2.3'),
  tested({
    'RP-3.1': [serve, 'a list request without params is answered'],
    'RP-3.2': [
      discovery,
      'a bad manifest is left out with a reason and an unknown capability only warns (RP-3.2, RP-3.7)',
    ],
    'RP-3.4': [demo, 'the demo lists one runner'],
    'RP-3.7': [
      discovery,
      'a bad manifest is left out with a reason and an unknown capability only warns (RP-3.2, RP-3.7)',
    ],
    'RP-3.16': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-3.17': [manifest, 'are lists of what the contract names, each empty when it is absent'],
    'RP-3.18': [grant, 'a policy cannot give what the manifest does not ask for, nor the reverse (check 37)'],
    'RP-3.19': [manifest, 'leaves the context to the runner by default'],
    'RP-3.20': [bootstrap, 'is never more than manifest and agent both ask for'],
    'RP-3.21': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-3.22': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-3.25': [schemas, 'knows no max-round (RP-3.25)'],
  }),
  planned(
    'RP-3.3',
    'RP-3.5',
    'RP-3.6',
    'RP-3.8',
    'RP-3.9',
    'RP-3.10',
    'RP-3.11',
    'RP-3.12',
    'RP-3.13',
    'RP-3.14',
    'RP-3.15',
    'RP-3.23',
    'RP-3.24',
  ),
  tested({
    'RP-4.1': [orchestrator, 'streams chunks of one message, numbered by the host, and reports usage'],
    'RP-4.2': [serve, 'an unknown runner is refused'],
    'RP-4.3': [parts, 'without %s is none'],
    'RP-4.4': [serve, 'a context that is none is refused with the place where it breaks'],
    'RP-4.5': [context, 'a message: its sender acts, the message is the subject, its input is the input'],
    'RP-4.6': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-4.8': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
    'RP-4.11': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.12': [context, 'a message: its sender acts, the message is the subject, its input is the input'],
    'RP-4.13': [context, 'an event that is no message keeps its subject’s data and becomes nobody’s words (check 54)'],
    'RP-4.15': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.16': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.17': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.18': [context, 'a message: its sender acts, the message is the subject, its input is the input'],
    'RP-4.19': [context, 'an event that is no message keeps its subject’s data and becomes nobody’s words (check 54)'],
    'RP-4.25': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.27': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.28': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-4.29': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-4.30': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-4.31': [parts, '%s has a default for all that may be absent, and for nothing else'],
    'RP-4.33': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-4.34': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-4.36': [context, 'names the host, the deadline in seconds and the key of the session'],
    'RP-4.37': [staticRefs, 'are equal for equal content, in whatever order its keys were written'],
    'RP-4.38': [parts, '%s has a default for all that may be absent, and for nothing else'],
  }),
  planned(
    'RP-4.7',
    'RP-4.9',
    'RP-4.10',
    'RP-4.14',
    'RP-4.20',
    'RP-4.21',
    'RP-4.22',
    'RP-4.23',
    'RP-4.24',
    'RP-4.26',
    'RP-4.32',
    'RP-4.35',
    'RP-4.39',
  ),
  tested({
    'RP-5.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-5.2': [grant, 'stays as it was when its sources change, and cannot be changed itself (check 32)'],
  }),
  planned('RP-5.3'),
  tested({
    'RP-6.2': [results, 'every stable result type has a row, and there is no other'],
    'RP-6.3': [misbehaviour, 'sends malformed, unknown, repeated and missing results'],
    'RP-6.4': [orchestrator, 'streams chunks of one message, numbered by the host, and reports usage'],
    'RP-6.5': [orchestrator, 'is acknowledged by the runner, says its message and ends'],
    'RP-6.6': [results, 'a tool call stands between two messages'],
    'RP-6.8': [results, 'state and artifacts'],
    'RP-6.9': [results, 'state of an unknown scope (RP-6.9)'],
    'RP-6.10': [results, 'an action is passed on, not done'],
    'RP-6.12': [misbehaviour, 'goes on after its terminal result (RP-6.12)'],
    'RP-6.13': [misbehaviour, 'names runs that it was not given (RP-6.13)'],
    'RP-6.14': [takeResult, 'a repeated or earlier sequence is a duplicate, a gap is only noted (RP-6.14)'],
    'RP-6.15': [results, 'a message without content (RP-6.15)'],
  }),
  planned('RP-6.1', 'RP-6.7', 'RP-6.11'),
  planned(
    'RP-7.1',
    'RP-7.2',
    'RP-7.3',
    'RP-7.4',
    'RP-7.5',
    'RP-7.6',
    'RP-7.7',
    'RP-7.8',
    'RP-7.9',
    'RP-7.10',
    'RP-7.11',
    'RP-7.12',
    'RP-7.13',
    'RP-7.14',
    'RP-7.15',
    'RP-7.16',
    'RP-7.17',
    'RP-7.18',
    'RP-7.19',
    'RP-7.20',
    'RP-7.21',
    'RP-7.22',
    'RP-7.23',
    'RP-7.24',
    'RP-7.25',
    'RP-7.26',
    'RP-7.27',
  ),
  tested({
    'RP-8.9': [results, 'a failure in the words of this protocol'],
  }),
  planned('RP-8.1', 'RP-8.2', 'RP-8.3', 'RP-8.5', 'RP-8.6', 'RP-8.7', 'RP-8.8'),
  tested({
    'RP-9.1': [orchestrator, 'receives the context of its turn'],
    'RP-9.3': [orchestrator, 'the answer to CANCEL_RUN is the acknowledgement (SR-D50)'],
    'RP-9.4': [liveRun, 'a generator that does not look at the signal ends at its next yield, and cleans up'],
    'RP-9.5': [liveRun, 'a generator that listens stops, and the cancel is answered after its last result'],
    'RP-9.6': [forcedCancel, 'makes the run’s id dead at once: what it still says is counted and dropped'],
  }),
  planned('RP-10.1', 'RP-10.3', 'RP-10.4', 'RP-10.5', 'RP-10.6', 'RP-10.7', 'RP-10.8', 'RP-10.9'),
  planned('RP-11.1', 'RP-11.2', 'RP-11.3', 'RP-11.4', 'RP-11.5', 'RP-11.6', 'RP-11.7', 'RP-11.8'),
  planned('RP-12.2', 'RP-12.3', 'RP-12.4'),
  tested({
    'RP-12.5': [sqlitePorts, 'log, transcript, artifacts and state survive a restart (RP-12.5)'],
  }),
  tested({
    'RP-13.1': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
    'RP-13.2': [`${portSuites}/transcript.suite.ts`, 'keeps every part of an item'],
    'RP-13.3': [`${portSuites}/artifact.suite.ts`, 'keeps what is said about it and its bytes, also from pieces'],
    'RP-13.4': [`${portSuites}/storage.suite.ts`, 'gives back %s object byte by byte'],
    'RP-13.6': [resolveAgent, 'several are an error that names them'],
  }),
  planned('RP-13.5'),
  tested({
    'RP-9.2': [runApi, 'but no longer than the deadline of the run (RP-9.2)'],
    'RP-12.1': [runApi, 'every method of the table has its function'],
    'RP-10.2': [runApi, 'what available_apis closes is refused without asking'],
    'RP-8.4': [runApi, 'after the deadline a call fails at once and is not sent'],
  }),
);
