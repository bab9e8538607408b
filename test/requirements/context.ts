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

export const contextRequirements = collect(
  tested({
    'CX-1.7': [schemas, 'knows no max-round (RP-3.25)'],
    'CX-1.9': [records, 'name raw events, tool calls, results of delivery, errors and system events (CX-1.9)'],
  }),
  planned('CX-1.1', 'CX-1.2', 'CX-1.3', 'CX-1.4', 'CX-1.5', 'CX-1.6', 'CX-1.8', 'CX-1.10', 'CX-1.11', 'CX-1.12'),
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
  planned('CX-2.4', 'CX-2.13', 'CX-2.15', 'CX-2.16'),
  tested({
    'CX-3.3': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned(
    'CX-4.1',
    'CX-4.2',
    'CX-4.3',
    'CX-4.4',
    'CX-4.5',
    'CX-4.6',
    'CX-4.7',
    'CX-4.8',
    'CX-4.9',
    'CX-4.11',
    'CX-4.12',
    'CX-4.13',
    'CX-4.14',
    'CX-4.15',
    'CX-4.16',
    'CX-4.17',
    'CX-4.18',
    'CX-4.19',
    'CX-4.20',
    'CX-4.21',
    'CX-4.22',
    'CX-4.23',
  ),
  tested({
    'CX-5.1': [manifest, 'leaves the context to the runner by default'],
    'CX-5.2': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  tested({
    'CX-6.2': [context, 'names the host, the deadline in seconds and the key of the session'],
    'CX-6.4': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-6.1', 'CX-6.5', 'CX-6.6', 'CX-6.7', 'CX-6.8', 'CX-6.9'),
  tested({
    'CX-7.1': [misbehaviour, 'names runs that it was not given (RP-6.13)'],
  }),
  planned('CX-7.2', 'CX-7.3', 'CX-7.4', 'CX-7.5', 'CX-7.6', 'CX-7.7'),
  planned('CX-8.1', 'CX-8.2', 'CX-8.3', 'CX-8.4', 'CX-8.5'),
  tested({
    'CX-9.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-9.2', 'CX-9.3'),
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
);
