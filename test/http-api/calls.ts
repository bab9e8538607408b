import { createHmac, randomUUID } from 'node:crypto';
import type { Call, Calls } from './call.ts';
import { capabilityCalls } from './capability-calls.ts';
import { knowledgeCalls } from './knowledge-calls.ts';

const nowhere = randomUUID();

function runBody(text: string, threadId: string = randomUUID(), more: object = {}) {
  return {
    threadId,
    runId: randomUUID(),
    state: {},
    messages: [{ id: randomUUID(), role: 'user', content: text }],
    tools: [],
    context: [],
    forwardedProps: {},
    ...more,
  };
}

const aguiCalls = (path: Record<string, string> = {}): Call[] => [
  { status: 200, path, body: runBody('/stream 3') },
  { status: 422, path, body: runBody('x', 'no-uuid') },
];

const runCalls: Calls = {
  startRun: () => [
    { status: 202, body: runBody('hello') },
    { status: 200, headers: { accept: 'text/event-stream' }, body: runBody('/stream 3') },
    { status: 422, body: { threadId: 'x' } },
    { status: 404, body: runBody('hello', undefined, { forwardedProps: { agentId: 'nobody' } }) },
  ],
  runAgui: () => aguiCalls(),
  runAgentAgui: () => aguiCalls({ agentId: 'guide' }),
  getCapabilities: () => [{ status: 200 }, { status: 404, query: 'agentId=nobody' }],
  copilotInfo: () => [{ status: 200 }],
  copilotRun: () => aguiCalls({ agentId: 'guide' }).slice(0, 1),
  copilotConnect: ({ threadId }) => [
    { status: 200, path: { agentId: 'guide' }, body: { ...runBody('', threadId), messages: [] } },
  ],
  copilotStop: ({ threadId }) => [{ status: 200, path: { agentId: 'guide', threadId } }],
  listRuns: ({ threadId }) => [{ status: 200 }, { status: 200, query: `threadId=${threadId}` }],
  getRun: ({ taskId }) => [
    { status: 200, path: { taskId } },
    { status: 404, path: { taskId: nowhere } },
  ],
  followRun: ({ taskId }) => [
    { status: 200, path: { taskId } },
    { status: 422, path: { taskId }, query: 'after=nonsense' },
    { status: 404, path: { taskId: nowhere } },
  ],
  waitForRun: ({ taskId }) => [
    { status: 200, path: { taskId } },
    { status: 422, path: { taskId }, query: 'timeout=soon' },
  ],
  followSession: ({ threadId }) => [
    { status: 200, path: { sessionId: threadId }, query: 'format=agui', cutAfter: 'RUN_FINISHED' },
    { status: 200, path: { sessionId: threadId }, cutAfter: 'TURN_COMPLETED' },
    { status: 404, path: { sessionId: nowhere } },
  ],
  openSocket: () => [{ status: 426 }],
  cancelRun: ({ taskId }) => [
    { status: 200, path: { taskId }, query: 'wait=1' },
    { status: 404, path: { taskId: nowhere } },
    { status: 422, path: { taskId }, query: 'wait=perhaps' },
  ],
  sendToolResults: ({ taskId, toolTaskId, found }) => [
    { status: 422, path: { taskId: toolTaskId }, body: { results: [] } },
    {
      status: 202,
      path: { taskId: toolTaskId },
      body: { results: [{ toolCallId: found.toolCallId, content: 'blue' }] },
    },
    { status: 409, path: { taskId }, body: { results: [{ toolCallId: 'x', content: 'y' }] } },
  ],
  getRunContext: ({ taskId }) => [
    { status: 200, path: { taskId } },
    { status: 404, path: { taskId }, query: 'attempt=9' },
  ],
  getRunGrant: ({ taskId }) => [
    { status: 200, path: { taskId } },
    { status: 404, path: { taskId: nowhere } },
  ],
  listRunRecords: ({ taskId }) => [
    { status: 200, path: { taskId }, query: 'limit=2' },
    { status: 422, path: { taskId }, query: 'cursor=nonsense' },
  ],
  listRunAudit: ({ taskId }) => [{ status: 200, path: { taskId } }],
};

const sessionCalls: Calls = {
  getHistory: ({ threadId }) => [
    { status: 200 },
    { status: 200, query: `threadId=${threadId}`, headers: { 'x-timezone': 'Europe/Zurich' } },
    { status: 404, query: `threadId=${nowhere}` },
    { status: 422, query: 'before=yesterday' },
  ],
  searchMessages: () => [{ status: 200, query: 'q=hello' }, { status: 422 }],
  uploadAttachment: () => {
    const form = new FormData();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    form.set('file', new Blob([png], { type: 'image/png' }), 'dot.png');
    return [
      {
        status: 201,
        raw: { type: '', bytes: form },
        learn: ({ id, url }, found) => Object.assign(found, { attachmentId: String(id), attachmentUrl: String(url) }),
      },
      { status: 415, raw: { type: 'text/plain', bytes: 'no form' } },
    ];
  },
  signAttachment: ({ found }) => [
    { status: 200, path: { id: found.attachmentId ?? '' } },
    { status: 404, path: { id: nowhere } },
  ],
  readAttachment: ({ found }) => [
    { status: 200, url: found.attachmentUrl ?? '' },
    { status: 206, url: found.attachmentUrl ?? '', headers: { range: 'bytes=0-3' } },
    { status: 403, path: { id: found.attachmentId ?? '' } },
  ],
  listSessions: () => [{ status: 200 }, { status: 422, query: 'limit=0' }],
  createSession: () => [
    {
      status: 201,
      body: { title: 'A walk' },
      learn: ({ id }, found) => Object.assign(found, { sessionId: String(id) }),
    },
    { status: 422, body: { id: 'no-uuid' } },
  ],
  getSession: ({ threadId }) => [
    { status: 200, path: { sessionId: threadId } },
    { status: 200, path: { sessionId: threadId }, query: 'asOf=3' },
    { status: 404, path: { sessionId: nowhere } },
  ],
  renameSession: ({ found }) => [
    { status: 200, path: { sessionId: found.sessionId ?? '' }, body: { title: 'Another name' } },
    { status: 404, path: { sessionId: nowhere }, body: { title: 'x' } },
  ],
  sendMessage: ({ threadId }) => [
    {
      status: 202,
      path: { sessionId: threadId },
      body: { id: 'walk-1', event: 'CONTROL', subtype: 'SWITCH_AGENT', payload: { agent_id: 'scout' } },
    },
    { status: 422, path: { sessionId: threadId }, body: { id: 'walk-2', event: 'EVENT', subtype: 'TURN_COMPLETED' } },
  ],
  readTranscript: ({ threadId }) => [
    { status: 200, path: { sessionId: threadId } },
    { status: 404, path: { sessionId: nowhere } },
  ],
  deleteSession: ({ found }) => [
    { status: 204, path: { sessionId: found.sessionId ?? '' } },
    { status: 404, path: { sessionId: nowhere } },
  ],
  listInteractions: () => [
    { status: 200, query: 'status=pending' },
    { status: 422, query: 'status=odd' },
  ],
  getInteraction: ({ interactionId }) => [
    { status: 200, path: { interactionId } },
    { status: 404, path: { interactionId: nowhere } },
  ],
  answerInteraction: ({ interactionId }) => [
    { status: 422, path: { interactionId }, body: { actionId: 'nothing of it' } },
    { status: 200, path: { interactionId }, body: { actionId: 'cancel' } },
    { status: 409, path: { interactionId }, body: { actionId: 'cancel' } },
  ],
  submitEvent: () => [
    {
      status: 202,
      body: {
        event: { event_id: randomUUID(), event_type: 'message.received', source: 'walk' },
        input: { text: 'hello', contents: [], attachments: [] },
      },
    },
    { status: 422, body: { event: {} } },
  ],
  deliverHook: ({ hookSecret }) => {
    const bytes = JSON.stringify({ text: 'hello' });
    const at = Math.floor(Date.now() / 1000);
    const proof = createHmac('sha256', hookSecret).update(`${at}.`).update(bytes).digest('hex');
    const raw = { type: 'application/json', bytes };
    return [
      { status: 202, path: { hookId: 'walk' }, raw, headers: { 'x-rostra-signature': `t=${at},v1=${proof}` } },
      { status: 401, path: { hookId: 'walk' }, raw },
    ];
  },
};

const managementCalls: Calls = {
  listAgents: () => [{ status: 200 }],
  createAgent: () => [
    { status: 201, body: { id: 'walker', config: { runner: 'rostra/demo/default', config: { name: 'walker' } } } },
    { status: 409, body: { id: 'walker', config: { runner: 'rostra/demo/default' } } },
    { status: 409, body: { id: 'written', config: { runner: 'rostra/demo/default' } } },
    { status: 422, body: { id: 'walker2', config: { runner: 5 } } },
  ],
  getAgent: () => [
    { status: 200, path: { agentId: 'walker' } },
    { status: 404, path: { agentId: 'nobody' } },
  ],
  changeAgent: () => [
    { status: 200, path: { agentId: 'walker' }, body: { config: { label: 'Walker' } } },
    { status: 412, path: { agentId: 'walker' }, body: { config: {} }, headers: { 'if-match': '"1"' } },
    { status: 409, path: { agentId: 'written' }, body: { config: {} } },
    { status: 422, path: { agentId: 'walker' }, body: { config: { runner: null } } },
  ],
  deleteAgent: () => [
    { status: 412, path: { agentId: 'walker' }, headers: { 'if-match': '"1"' } },
    { status: 204, path: { agentId: 'walker' }, headers: { 'if-match': '*' } },
    { status: 404, path: { agentId: 'walker' } },
    { status: 409, path: { agentId: 'guide' } },
  ],
  getMe: () => [{ status: 200 }],
  listKeys: () => [{ status: 200 }],
  createKey: () => [
    {
      status: 201,
      body: { name: 'walk', scopes: ['runs'] },
      learn: ({ id }, found) => Object.assign(found, { keyId: String(id) }),
    },
    { status: 422, body: { name: 'walk2', scopes: [] } },
  ],
  revokeKey: ({ found }) => [
    { status: 204, path: { keyId: found.keyId ?? '' } },
    { status: 404, path: { keyId: nowhere } },
  ],
  createLoginLink: () => [{ status: 201 }],
  logout: () => [{ status: 204 }],
  getStatus: () => [{ status: 200 }],
  listRunners: () => [{ status: 200 }],
  readRunnerLog: () => [
    { status: 200, path: { runnerId: 'demo' } },
    { status: 404, path: { runnerId: 'nobody' } },
    { status: 422, path: { runnerId: 'demo' }, query: 'limit=many' },
  ],
  restartRunner: () => [
    { status: 202, path: { runnerId: 'demo' } },
    { status: 404, path: { runnerId: 'nobody' } },
  ],
  listSettings: () => [{ status: 200 }],
  changeSettings: () => [
    { status: 200, body: { set: { 'session.idle': 60_000 }, reset: ['retention.audit'] } },
    { status: 422, body: { set: { 'server.port': 1 } } },
  ],
  getUsage: () => [
    { status: 200, query: 'by=agent,model,day' },
    { status: 422, query: 'by=weather' },
    { status: 422, query: 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z' },
  ],
  listAudit: () => [
    { status: 200, query: 'limit=3&action=agent.create' },
    { status: 422, query: 'cursor=x' },
  ],
  getOpenApi: () => [{ status: 200 }],
  getReference: () => [{ status: 200 }],
};

/** For every operation what is asked of it in turn, and what it must answer. */
export const calls: Calls = {
  ...runCalls,
  ...sessionCalls,
  ...managementCalls,
  ...capabilityCalls,
  ...knowledgeCalls,
};
