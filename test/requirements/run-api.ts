import { collect, tested } from './requirement.ts';

const clientTools = 'packages/host/test/interactions/client-tools.test.ts';
const rules = 'packages/protocol/test/run-api/run-rules.test.ts';
const runs = 'packages/host/test/http/runs.test.ts';
const history = 'packages/host/test/http/history.test.ts';
const sessions = 'packages/host/test/http/sessions.test.ts';
const runStatus = 'packages/host/test/http/run-status.test.ts';
const task = 'packages/host/test/http/task.test.ts';
const events = 'packages/host/test/http/events.test.ts';
const sessionEvents = 'packages/host/test/http/session-events.test.ts';
const streamHub = 'packages/host/test/http/stream-hub.test.ts';
const queue = 'packages/kernel/test/session/queue.test.ts';
const firstMinute = 'test/e2e/first-minute.test.ts';
const restart = 'test/e2e/restart.test.ts';
const keys = 'packages/host/test/http/keys.test.ts';
const inbound = 'packages/host/test/http/inbound.test.ts';
const interactions = 'packages/host/test/http/interactions.test.ts';
const management = 'test/e2e/management.test.ts';
const models = 'packages/host/test/http/models.test.ts';
const madeKeys = 'packages/host/test/http/made-keys.test.ts';
const attachments = 'packages/host/test/http/attachments.test.ts';
const cards = 'packages/kernel/test/ui/compile.test.ts';
const twoUsers = 'test/e2e/two-users.test.ts';
const prompt = 'packages/protocol/test/runner/tools-prompt.test.ts';
const runContext = 'packages/kernel/test/context/run-context.test.ts';
const userInput = 'packages/kernel/test/agui/inbound.test.ts';
const agui = 'packages/host/test/http/agui.test.ts';
const aguiClients = 'test/e2e/agui-clients.test.ts';

export const runApiRequirements = collect(
  tested({
    'RA-1.1': [firstMinute, 'a question gets an answer in its language, not an echo'],
    'RA-1.2': [rules, 'names the path of what is wrong: %s'],
    'RA-1.3': [rules, 'refuses a threadId that is no UUID: %j'],
    'RA-1.4': [rules, 'counts runId in code points: 1 to 128'],
    'RA-1.5': [rules, 'wants exactly one user message'],
    'RA-1.6': [rules, 'takes any JSON as state and as forwardedProps: %j'],
    'RA-1.7': [rules, 'takes a body without state, tools, context, forwardedProps and parentRunId'],
  }),
  tested({ 'RA-1.8': [attachments, 'of the contract’s form is accepted, and the url becomes a file of its session'] }),
  tested({
    'RA-2.1': [rules, 'takes messages of every role after the user'],
    'RA-2.2': [rules, 'knows blocks of text and of binary content, and no other'],
    'RA-2.3': [rules, 'wants an image, by url, without data'],
    'RA-2.5': [rules, 'wants an image, by url, without data'],
    'RA-2.6': [rules, 'takes messages of every role after the user'],
    'RA-2.7': [rules, 'takes messages of every role after the user'],
    'RA-2.8': [rules, 'takes messages of every role after the user'],
    'RA-2.9': [rules, 'takes messages of every role after the user'],
    'RA-2.10': [rules, 'takes messages of every role after the user'],
  }),
  tested({
    'RA-2.4': [attachments, 'by a url of somebody else is refused like any other, and the file stays theirs (case 21)'],
  }),
  tested({
    'RA-3.1': [rules, 'takes the text example and the tools example of the contract as they stand'],
    'RA-3.5': [rules, 'names the path of what is wrong: %s'],
  }),
  tested({
    'RA-4.1': [runs, 'takes 262,144 bytes and refuses one more with 413, before it looks at them'],
    'RA-4.2': [runs, 'refuses with 422: %s'],
    'RA-4.3': [runs, 'refuses with 422: %s'],
    'RA-4.4': [runs, 'refuses with 422: %s'],
    'RA-4.5': [runs, 'refuses with 422: %s'],
    'RA-4.6': [runs, 'refuses with 422: %s'],
    'RA-4.7': [runs, 'refuses with 422: %s'],
    'RA-4.8': [runs, 'refuses with 422: %s'],
    'RA-4.9': [runs, 'refuses with 422: %s'],
    'RA-4.10': [runs, 'refuses with 422: %s'],
    'RA-4.11': [rules, 'answers with the first broken rule in the order of the contract, however many are broken'],
    'RA-4.12': [runs, 'takes 262,144 bytes and refuses one more with 413, before it looks at them'],
    'RA-4.13': [rules, 'counts runId in code points: 1 to 128'],
    'RA-4.14': [rules, 'takes 10,000 code points of user text over all blocks and refuses one more'],
    'RA-4.15': [rules, 'wants exactly one user message'],
  }),
  tested({
    'RA-5.1': [runs, 'answers 202 with the task after the commit, and names where it is'],
    'RA-5.2': [runs, 'answers 202 with the task after the commit, and names where it is'],
    'RA-5.3': [runs, 'answers 202 with the task after the commit, and names where it is'],
  }),
  tested({
    'RA-6.1': [history, 'gives the newest day of the thread, and earlier ones by an exclusive before'],
    'RA-6.2': [history, 'without a thread it is the caller’s own latest, never another’s (case 6)'],
    'RA-6.3': [history, 'gives the newest day of the thread, and earlier ones by an exclusive before'],
    'RA-6.4': [history, 'gives the newest day of the thread, and earlier ones by an exclusive before'],
    'RA-6.5': [history, 'gives the newest day of the thread, and earlier ones by an exclusive before'],
    'RA-6.6': [history, 'gives the newest day of the thread, and earlier ones by an exclusive before'],
    'RA-6.7': [history, 'a message of a user has a fresh url of its first attachment'],
    'RA-6.8': [history, 'cards are inert, but for links and questions that still wait'],
    'RA-6.9': [history, 'cards are inert, but for links and questions that still wait'],
    'RA-6.10': [history, 'cards are inert, but for links and questions that still wait'],
    'RA-6.11': [history, 'gives the newest day of the thread, and earlier ones by an exclusive before'],
    'RA-6.12': [history, 'a day is one in the caller’s time zone'],
    'RA-6.13': [history, 'what a later turn takes back is left out, and its numbers are given again'],
    'RA-6.14': [history, 'a message of a user has a fresh url of its first attachment'],
    'RA-6.15': [history, 'another one’s thread is answered like one that never was (case 5)'],
  }),
  tested({
    'RA-7.1': [cards, 'of the contract is compiled as it stands, in its envelope'],
    'RA-7.2': [
      'packages/protocol/test/run-api/ui-reader.test.ts',
      'shows a fallback for a node of a newer host, and for one that is not as it should be',
    ],
    'RA-7.3': [cards, 'has the language of whoever asked, and a neutral status, unless it says something else'],
    'RA-7.4': [cards, 'of the contract is compiled as it stands, in its envelope'],
    'RA-7.5': [cards, 'of the contract is compiled as it stands, in its envelope'],
    'RA-7.6': [cards, 'of the contract is compiled as it stands, in its envelope'],
    'RA-7.7': [
      'test/e2e/attachments.test.ts',
      'a card is compiled once: live as an activity, in history beside its message, where its buttons rest',
    ],
  }),
  tested({
    'RA-8.1': [rules, 'takes 10,000 code points of user text over all blocks and refuses one more'],
  }),
  tested({
    'RA-8.2': [
      attachments,
      'by an address of this host that is not signed, or signed for another one, is refused (case 20)',
    ],
    'RA-8.3': [attachments, 'of the contract’s form is accepted, and the url becomes a file of its session'],
    'RA-9.11': [attachments, 'answers with a signed url, and a GET of it without any key gives the bytes'],
  }),
  tested({
    'RA-9.1': [firstMinute, '/stream 50 delivers exactly 50 chunks in order between RUN_STARTED and RUN_FINISHED'],
    'RA-9.3': [runs, 'refuses whoever takes neither JSON nor a stream'],
    'RA-9.4': [restart, 'a queued turn is answered after the restart'],
    'RA-9.5': [runs, 'answers 202 with the task after the commit, and names where it is'],
    'RA-9.7': [events, 'takes the cursor from ?after= too, and the header before it'],
    'RA-9.8': [sessionEvents, 'answers 200 with the end of the run once it has come'],
    'RA-9.9': [task, 'answers 202 for a running task and 200 for one that has ended, again and again'],
    'RA-9.10': [
      clientTools,
      'is answered as a whole: a result that is missing, given twice or of another call is named',
    ],
    'RA-9.12': [runs, 'answers a refusal of the session with its status %i'],
    'RA-9.13': [runs, 'refuses %s with 400'],
    'RA-9.14': [runs, 'refuses with 422: %s'],
    'RA-9.15': [runs, 'takes 262,144 bytes and refuses one more with 413, before it looks at them'],
    'RA-9.16': [twoUsers, '%s looks to another one as if it were not there (cases 5, 82)'],
    'RA-9.17': [runs, 'answers another body under the same name with 409'],
    'RA-9.18': [keys, '%s %s needs the scope %s: without it 403 names it, with it %i'],
    'RA-9.19': [
      madeKeys,
      'are runs a minute: beyond them 429 says when, nothing is written, and the owner has none (case 31)',
    ],
    'RA-9.20': [firstMinute, 'the same run again is the same task; with another body it is a conflict'],
    'RA-9.21': [firstMinute, 'inputs of one thread are answered one after another, in order'],
    'RA-9.23': [
      firstMinute,
      'forwardedProps.agentId chooses the agent, and an unknown one is 404 with the agents there are',
    ],
    'RA-9.24': [queue, 'replaces the running turn where the agent wants the newest'],
  }),
  tested({
    'RA-9.6': [runStatus, 'tells status, agent, attempts, usage, cost and timings from its acceptance to its end'],
    'RA-10.4': [sessions, 'cancels by the turn, switches, invites, removes, closes and opens again'],
    'RA-10.5': [sessions, 'takes everything, ends the run that is at it, and leaves the last hash'],
    'RA-10.6': [history, 'pages both ways by cursors that only the host makes, and only for this session'],
  }),
  tested({
    'RA-9.25': [streamHub, 'is cancelled when nobody has come back within the grace'],
    'RA-10.3': [sessionEvents, 'tells every message that the session published, over all runs'],
    'RA-10.7': [sessionEvents, 'carries the bytes and ids of the session stream, after the cursor that each'],
  }),
  tested({
    'RA-10.1': [
      management,
      'its owner sees what the runner received, without the agent’s configuration; nobody else sees',
    ],
    'RA-10.8': [inbound, 'answers 202 with the event, its session and its task, and where that is found'],
    'RA-10.9': [interactions, 'takes an answer once, and says 409 to the second (check 75)'],
    'RA-10.10': [management, 'one that is active in a session is deleted only by force'],
    'RA-10.11': [management, 'a restarted runner has another process, and runs go on'],
    'RA-10.12': [models, 'are made, shown without their keys, changed and deleted, with slashes in their ids'],
  }),
  tested({
    'RA-3.2': [prompt, 'are the contract’s own two tools, letter for letter'],
    'RA-3.3': [prompt, 'are the contract’s own two tools, letter for letter'],
    'RA-3.4': [prompt, 'are nothing where there are none'],
    'RA-8.4': [prompt, 'are nothing where there are none'],
    'RA-9.2': [aguiClients, 'gets the stream on the path of runs too, and a named agent by its own path'],
    'RA-9.22': [agui, 'names its agent in forwardedProps before the path does, byte for byte (case 88)'],
    'RA-9.27': [agui, 'offers no tool under the name of one of the host’s (case 18)'],
    'RA-9.28': [
      agui,
      'puts what is too large to be told into an artifact, and takes it away when it is refused (RA-9.28)',
    ],
    'RA-9.26': [runContext, 'a message: its sender acts, the message is the subject, its input is the input'],
    'RA-9.29': [userInput, 'keeps what came beside the message as data, client messages apart'],
    'RA-10.2': [aguiClients, 'may count on what the capabilities of its agent say'],
  }),
);
