import { collect, planned, tested } from './requirement.ts';

const context = 'packages/kernel/test/context/run-context.test.ts';
const manifest = 'packages/protocol/test/runner/manifest.test.ts';
const schemas = 'test/schema-drift.test.ts';
const misbehaviour = 'packages/host/test/orchestrator/misbehaviour.test.ts';
const tidy = 'test/tidy.test.ts';

export const contextRequirements = collect(
  tested({
    'CX-1.7': [schemas, 'knows no max-round (RP-3.25)'],
  }),
  planned(
    'CX-1.1',
    'CX-1.2',
    'CX-1.3',
    'CX-1.4',
    'CX-1.5',
    'CX-1.6',
    'CX-1.8',
    'CX-1.9',
    'CX-1.10',
    'CX-1.11',
    'CX-1.12',
  ),
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
  planned('CX-2.4', 'CX-2.7', 'CX-2.10', 'CX-2.13', 'CX-2.14', 'CX-2.15', 'CX-2.16'),
  tested({
    'CX-3.3': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-3.1', 'CX-3.2'),
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
    'CX-4.10',
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
  planned('CX-5.3', 'CX-5.4', 'CX-5.5', 'CX-5.6'),
  tested({
    'CX-6.2': [context, 'names the host, the deadline in seconds and the key of the session'],
    'CX-6.4': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-6.1', 'CX-6.3', 'CX-6.5', 'CX-6.6', 'CX-6.7', 'CX-6.8', 'CX-6.9'),
  tested({
    'CX-7.1': [misbehaviour, 'names runs that it was not given (RP-6.13)'],
  }),
  planned('CX-7.2', 'CX-7.3', 'CX-7.4', 'CX-7.5', 'CX-7.6', 'CX-7.7'),
  planned('CX-8.1', 'CX-8.2', 'CX-8.3', 'CX-8.4', 'CX-8.5'),
  tested({
    'CX-9.1': [context, 'grants nothing, offers no API and inlines the current event only (CX-2.1)'],
  }),
  planned('CX-9.2', 'CX-9.3'),
);
