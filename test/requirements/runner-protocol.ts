import { collect, tested } from './requirement.ts';

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
const eventEnvelope = 'packages/kernel/test/context/event-envelope.test.ts';
const entries = 'packages/host/test/entries';
const serve = 'packages/runner-sdk/test/serve.test.ts';
const runApi = 'packages/runner-sdk/test/run-api.test.ts';
const liveRun = 'packages/runner-sdk/test/live-run.test.ts';
const sqlitePorts = 'packages/host/test/store/sqlite/sqlite-ports.test.ts';
const portSuites = 'packages/host/test/store/ports';
const demo = 'packages/runners/demo/test/process.test.ts';
const models = 'packages/host/test/capabilities/models';
const proxyTests = 'packages/host/test/proxy';
const gate = 'packages/host/test/proxy/gate.test.ts';
const calls = 'packages/host/test/proxy/calls.test.ts';
const actions = 'packages/host/test/interactions/actions.test.ts';
const proxySide = 'packages/host/test/main/proxy-side.test.ts';
const oracle = 'test/oracle.test.ts';
const demoAsks = 'test/e2e/demo-asks.test.ts';
const asking = 'packages/runner-sdk/test/asking.test.ts';
const sdkTesting = 'packages/runner-sdk/test/testing.test.ts';
const runPlan = 'packages/host/test/orchestrator/run-plan.test.ts';
const hostContext = 'packages/host/test/orchestrator/context.test.ts';
const substrate = 'test/substrate.test.ts';

export const runnerProtocolRequirements = collect(
  tested({
    'RP-1.2': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
  }),
  tested({
    'RP-1.1': [substrate, 'is about discovery, the context of a run, its results and its calls, and nothing else'],
    'RP-1.3': ['test/tidy.test.ts', 'host and kernel write no prompt (RP-1.3)'],
    'RP-1.4': [substrate, 'knows no local agent, and of pipelines only that one is an entry'],
  }),
  tested({
    'RP-2.2': [orchestrator, 'is acknowledged by the runner, says its message and ends'],
    'RP-2.4': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
  }),
  tested({
    'RP-2.1': ['test/e2e/entries.test.ts', 'starts a run by the system whose grant is the binding’s own, once'],
    'RP-2.3': [calls, 'a runner can call what the proxy serves and nothing else'],
    'RP-3.3': [discovery, 'is the same in the next process and in the next version of its package'],
    'RP-3.5': [runPlan, 'the form of a configuration fills in nothing'],
    'RP-3.6': [runPlan, 'whatever its metadata says, a runner gets what it gets without it'],
    'RP-3.8': [demo, 'the demo does what its capabilities say: it streams, and it ends when it is interrupted'],
    'RP-3.11': [sdkTesting, 'a runner that takes more than words reads the picture that came with its input'],
    'RP-3.12': [
      'test/e2e/entries.test.ts',
      'never makes words of another event, and keeps what is large as an artifact',
    ],
    'RP-3.13': [grant, 'platform actions need the capability beside the permission'],
    'RP-3.14': [demo, 'the demo does what its capabilities say: it streams, and it ends when it is interrupted'],
    'RP-3.15': [demoAsks, '/state keeps a value that a later turn reads and was told at its start'],
    'RP-4.26': [sdkTesting, 'a runner may answer by what the place of its answer can show'],
    'RP-4.32': [hostContext, 'that cannot be read cost the run its history and not its life'],
    'RP-10.3': [grant, 'an id is compared and never read: whatever it is made of, it names its own model and no other'],
    'RP-10.9': [asking, 'the runner that docs/writing-a-runner.md shows asks its host for everything, and gets it'],
    'RP-12.3': [
      `${entries}/pipeline-adapter.test.ts`,
      'has the context of the same event by the event gateway, and its adapter beside it',
    ],
  }),
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
  tested({
    'RP-3.9': [
      'packages/runners/local-agent/test/tools.test.ts',
      'are called at the same time, and their results come back in the order of the calls (check 93)',
    ],
    'RP-3.10': [
      'packages/runners/local-agent/test/knowledge.test.ts',
      'is searched with the person’s words, told by number, and what the answer names is listed behind it',
    ],
  }),
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
  tested({
    'RP-5.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-5.2': [grant, 'stays as it was when its sources change, and cannot be changed itself (check 32)'],
  }),
  tested({
    'RP-6.1': [
      'packages/host/test/proxy/families/runs.test.ts',
      'gives what the run said as the results that it sent, numbered without gaps or repeats (check 82)',
    ],
    'RP-6.2': [results, 'every stable result type has a row, and there is no other'],
    'RP-6.3': [misbehaviour, 'sends malformed, unknown, repeated and missing results'],
    'RP-6.4': [orchestrator, 'streams chunks of one message, numbered by the host, and reports usage'],
    'RP-6.5': [orchestrator, 'is acknowledged by the runner, says its message and ends'],
    'RP-6.6': [results, 'a tool call stands between two messages'],
    'RP-6.10': [results, 'an action is passed on, not done'],
    'RP-6.12': [misbehaviour, 'goes on after its terminal result (RP-6.12)'],
    'RP-6.13': [misbehaviour, 'names runs that it was not given (RP-6.13)'],
    'RP-6.14': [takeResult, 'a repeated or earlier sequence is a duplicate, a gap is only noted (RP-6.14)'],
    'RP-6.15': [results, 'a message without content (RP-6.15)'],
    'RP-4.41': [
      'packages/host/test/orchestrator/context-text.test.ts',
      'a context that is told in two parts is, put together, the context that is told whole (RP-4.41)',
    ],
    'RP-4.42': [
      'packages/runner-sdk/test/context-parts.test.ts',
      'no run can change what others are told, however its context came',
    ],
    'RP-6.16': [
      'packages/host/test/orchestrator/results-properties.test.ts',
      'results that come in one line say what they say line by line (RP-6.16)',
    ],
  }),
  tested({
    'RP-7.13': [
      'packages/host/test/proxy/families/knowledge.test.ts',
      'retrieve answers with entries of one granted base, the best first, with their source (RP-7.13)',
    ],
    'RP-7.7': [`${models}/answers.test.ts`, 'answers with one message and what it counted (RP-7.7)'],
    'RP-7.8': [`${models}/answers.test.ts`, 'answers in pieces that make up the message (RP-7.8)'],
    'RP-7.9': [
      `${models}/other-kinds.test.ts`,
      'gives the best documents first, and no more than are asked for (RP-7.9)',
    ],
  }),
  tested({
    'RP-7.11': [
      'packages/host/test/proxy/families/tools.test.ts',
      'is described as it was granted, and not at all once it is hidden (case 64)',
    ],
    'RP-7.12': [
      'packages/host/test/proxy/families/tools.test.ts',
      'gets exactly the parameters that the run gave, and the audit says whose it is',
    ],
  }),
  tested({
    'RP-6.11': [actions, 'is denied unless the agent’s policy names it (check 80)'],
    'RP-7.26': [actions, 'can be requested by a call as well, which says what came of it'],
    'RP-7.27': [actions, 'that is in no grant is unauthorized, whatever the policy says (case 49)'],
    'RP-13.5': [actions, 'is put before a person where the policy asks, and performed when they approve (check 80)'],
  }),
  tested({
    'RP-8.9': [results, 'a failure in the words of this protocol'],
  }),
  tested({
    'RP-9.1': [orchestrator, 'receives the context of its turn'],
    'RP-9.3': [orchestrator, 'the answer to CANCEL_RUN is the acknowledgement (SR-D50)'],
    'RP-9.4': [liveRun, 'a generator that does not look at the signal ends at its next yield, and cleans up'],
    'RP-9.5': [liveRun, 'a generator that listens stops, and the cancel is answered after its last result'],
    'RP-9.6': [forcedCancel, 'makes the run’s id dead at once: what it still says is counted and dropped'],
  }),
  tested({
    'RP-11.1': [`${entries}/pipeline-adapter.test.ts`, 'enters a session like any event'],
    'RP-11.2': [`${entries}/pipeline-adapter.test.ts`, 'has every field in its place'],
    'RP-11.3': [`${entries}/pipeline-adapter.test.ts`, 'is an agent of that runner with the runner’s configuration'],
    'RP-11.4': [`${entries}/pipeline-adapter.test.ts`, 'reads an older configuration, by the runner’s name (RP-11.4)'],
    'RP-11.5': [`${entries}/pipeline-adapter.test.ts`, 'turns max-round into a bootstrap and nothing else'],
    'RP-11.6': [`${entries}/pipeline-adapter.test.ts`, 'puts what only a query has into `adapter`'],
    'RP-11.7': [`${entries}/pipeline-adapter.test.ts`, 'is the event-first run of its event and its binding'],
    'RP-11.8': [eventEnvelope, 'of a plain input is none'],
    'RP-4.7': [`${entries}/pipeline-adapter.test.ts`, 'puts what only a query has into `adapter`'],
    'RP-4.9': [context, 'the entry of an event is the source of the trigger'],
    'RP-4.10': [context, 'the entry of an event is the source of the trigger'],
    'RP-4.14': [
      `${entries}/event-gateway.test.ts`,
      'becomes an artifact of the session that the event names by raw_ref',
    ],
    'RP-4.20': [`${entries}/scheduler.test.ts`, 'brings schedule.triggered by the system, about itself'],
    'RP-4.21': [`${entries}/pipeline-adapter.test.ts`, 'has every field in its place'],
    'RP-4.22': [`${entries}/pipeline-adapter.test.ts`, 'has every field in its place'],
    'RP-4.23': [
      `${entries}/pipeline-adapter.test.ts`,
      'keeps bytes as files and the platform’s own object as raw payload',
    ],
    'RP-4.24': [eventEnvelope, 'keeps all that it says and becomes nobody’s words'],
    'RP-4.35': [`${entries}/pipeline-adapter.test.ts`, 'turns max-round into a bootstrap and nothing else'],
  }),
  tested({
    'RP-12.4': [proxySide, 'is every call of the protocol: each reaches its service with a grant (RP-12.4)'],
    'RP-12.5': [sqlitePorts, 'log, transcript, artifacts and state survive a restart (RP-12.5)'],
  }),
  tested({
    'RP-13.1': [context, 'has the configuration of the agent and nothing else of its binding (RP-2.4)'],
    'RP-13.2': [`${portSuites}/transcript.suite.ts`, 'keeps every part of an item'],
    'RP-13.3': [`${portSuites}/artifact.suite.ts`, 'keeps what is said about it and its bytes, also from pieces'],
    'RP-13.4': [`${portSuites}/storage.suite.ts`, 'gives back %s object byte by byte'],
    'RP-13.6': [`${entries}/entry-binding.test.ts`, 'several are 409 and named'],
  }),
  tested({
    'RP-9.2': [runApi, 'but no longer than the deadline of the run (RP-9.2)'],
    'RP-12.1': [runApi, 'every method of the table has its function'],
    'RP-10.2': [runApi, 'what available_apis closes is refused without asking'],
    'RP-8.4': [runApi, 'after the deadline a call fails at once and is not sent'],
  }),
  tested({
    'RP-4.39': [
      `${proxyTests}/families/state.test.ts`,
      'holds what an earlier run set, in each scope that it was granted (check 51)',
    ],
    'RP-4.40': [
      `${proxyTests}/families/state.test.ts`,
      'holds at most 64 KiB of a scope, the newest keys, and counts the others (RP-4.40)',
    ],
    'RP-6.7': [
      `${proxyTests}/effects/artifact-created.test.ts`,
      'is stored before it is told, and told without its bytes (RP-6.7)',
    ],
    'RP-6.8': [
      `${proxyTests}/effects/state-updated.test.ts`,
      'writes what state.set writes, and is told in the host’s own words (RP-6.8)',
    ],
    'RP-6.9': [
      `${proxyTests}/effects/state-updated.test.ts`,
      'changes nothing and is dropped, by the check of the call (check 50, case 47, RP-6.9)',
    ],
    'RP-7.19': [
      `${proxyTests}/families/artifacts.test.ts`,
      'is its agent’s everywhere, or its own run’s only, where its maker says so (CX-4.11)',
    ],
    'RP-7.20': [
      `${proxyTests}/families/artifacts.test.ts`,
      'is read back in ranges, byte by byte, and expires (RP-7.20, CX-4.12)',
    ],
    'RP-7.21': [
      `${proxyTests}/families/artifacts.test.ts`,
      'streams in pieces, each when there is room for it, and never whole (RP-7.21)',
    ],
    'RP-7.22': [
      `${proxyTests}/families/artifacts.test.ts`,
      'is read within bounds only: offset, length, expiry, scope (case 45, RP-7.22)',
    ],
    'RP-7.23': [
      `${proxyTests}/families/state.test.ts`,
      'is set, read, listed and deleted by the next run (check 44, RP-7.23)',
    ],
    'RP-7.24': [`${proxyTests}/families/storage.test.ts`, 'is set, read, listed and deleted (RP-7.24)'],
    'RP-7.25': [`${proxyTests}/families/storage.test.ts`, 'bytes in pieces, and none that is larger (RP-7.25)'],
  }),
  tested({
    'RP-5.3': [proxySide, 'is every call of the protocol: each reaches its service with a grant (RP-12.4)'],
    'RP-7.1': [gate, 'is refused without a run_id (check 39)'],
    'RP-7.2': [gate, 'is refused after the run (check 28, case 36)'],
    'RP-7.3': [calls, 'of another package cannot use a run (check 29, case 35)'],
    'RP-7.4': [gate, 'a model that was not granted is refused in the same words whether or not it exists'],
    'RP-7.5': [gate, 'an id of another conversation is not found, in the same words as one that does not exist'],
    'RP-7.6': [
      `${proxyTests}/call-meter.test.ts`,
      'the 51st call within a second is refused, and time brings calls back',
    ],
    'RP-7.10': [gate, 'a model that was granted for invoke is refused to %s (check 27)'],
    'RP-8.1': [gate, 'what a service refuses with reaches the caller, and a fault of the host does not'],
    'RP-8.2': [gate, 'is refused without a grant, whoever did not give it (checks 36 and 37)'],
    'RP-8.3': [gate, 'an id of another conversation is not found, in the same words as one that does not exist'],
    'RP-8.5': [`${proxyTests}/call-params.test.ts`, '%s is refused before anything is looked up'],
    'RP-8.6': [`${proxyTests}/call-meter.test.ts`, 'a run that reads page after page runs out of bytes (case 87)'],
    'RP-8.7': [`${proxyTests}/call-params.test.ts`, '%s is refused before anything is looked up'],
    'RP-8.8': [gate, 'what a service refuses with reaches the caller, and a fault of the host does not'],
    'RP-10.1': [proxySide, 'each of its calls is refused to a run without a grant'],
    'RP-10.7': [gate, 'a row names what the call was about and none of its values'],
  }),
  tested({
    'RP-7.14': [
      `${proxyTests}/families/history.test.ts`,
      'goes back from the newest and forward from the oldest, in the order of the talk (RP-7.14)',
    ],
    'RP-7.15': [`${proxyTests}/families/history.test.ts`, 'finds the best matches and how many there are (RP-7.15)'],
    'RP-7.16': [`${proxyTests}/families/history.test.ts`, 'gives whole items, whose clocks count seconds (RP-7.16)'],
    'RP-7.17': [
      `${proxyTests}/families/events.test.ts`,
      'come in pages, and of the kinds that are asked for (RP-7.17)',
    ],
    'RP-7.18': [
      `${proxyTests}/families/events.test.ts`,
      'are the same every time, and large payloads are left out (RP-7.18)',
    ],
  }),
  tested({
    'RP-3.23': [asking, 'the runner that docs/writing-a-runner.md shows asks its host for everything, and gets it'],
    'RP-3.24': [demoAsks, '/history reads what was said, and finds what it is about in a script without spaces'],
    'RP-10.4': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'RP-10.5': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
    'RP-10.6': [demoAsks, '/artifact %i comes back byte by byte'],
    'RP-10.8': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
    'RP-12.2': [oracle, 'the oracle agrees with answer and audit row of 10,000 random calls'],
  }),
);
