import { type ResolvedUrls, urlsOf, userInputOf } from '@rostra/kernel/agui/inbound';
import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { foreignUrl, RunRule } from '@rostra/protocol/run-api/run-rules';
import type { AgentInput, ArtifactRef, UserInputPayload } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { newId } from '../new-id.ts';
import type { Clock } from '../session/clock.ts';
import { type AcceptedRun, noSuchThread, type Principal } from '../session/session-gateway.ts';
import { sessionIdOf } from '../session/session-id.ts';
import type { ArtifactStore } from '../store/ports/artifact.ts';
import type { RunGateway } from './ports.ts';

/** Where a run's large parts are kept, and what its urls are found by. */
export interface RunParts {
  readonly artifacts: Pick<ArtifactStore, 'create' | 'delete'>;
  /** What stands behind a url that this host has signed for the caller; null for any other. */
  check(principal: Principal, url: string): Promise<{ mime_type: string } | null>;
  /** The same, which is the session's from then on. */
  resolve(principal: Principal, url: string, session_id: string): Promise<ArtifactRef | null>;
}

export interface SubmissionDeps {
  readonly gateway: Pick<RunGateway, 'submitRun' | 'findRepeat' | 'isForeign'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly parts: RunParts;
}

/** A checked run, on its way to its session. */
export interface RunOrder {
  readonly input: RunAgentInput;
  readonly payload_hash: string;
  /** How large the body was, or what was made of it: of a small one nothing is too large to be told. */
  readonly bytes: number;
  /** Whom it is for, where that is said. */
  readonly agent_id: string | undefined;
  readonly branch?: { from_seq: number } | undefined;
  /** Messages of the client's that nothing was made of. */
  readonly dropped?: number;
  readonly cancels?: readonly string[];
  /** What was said before, where it is only to be answered again: its urls may have run out since. */
  readonly said?: AgentInput | undefined;
}

/** Refuses a message with a url that is not one of the caller's images; nothing is changed by looking. */
export async function checkUrls({ parts }: SubmissionDeps, principal: Principal, input: RunAgentInput): Promise<void> {
  for (const url of urlsOf(input)) {
    const file = await parts.check(principal, url);
    if (file === null) throw foreignUrl(pathOf(input, url));
    if (!file.mime_type.startsWith('image/')) {
      throw new ApiError('invalid_argument', RunRule.imageOnly, { details: { path: pathOf(input, url) } });
    }
  }
}

/** All urls of the message, each as the file that it is (RA-8.3). */
async function resolved(deps: SubmissionDeps, principal: Principal, { input }: RunOrder): Promise<ResolvedUrls> {
  const { parts } = deps;
  const found = new Map<string, ArtifactRef>();
  // All of them are looked at first: a message that is refused has changed nothing.
  await checkUrls(deps, principal, input);
  for (const url of urlsOf(input)) {
    const artifact = await parts.resolve(principal, url, sessionIdOf(input.threadId));
    if (artifact === null) throw foreignUrl(pathOf(input, url));
    found.set(url, artifact);
  }
  return found;
}

function pathOf({ messages: [user] }: RunAgentInput, url: string): string {
  const blocks = user?.role === 'user' && typeof user.content !== 'string' ? user.content : [];
  return `messages[0].content[${blocks.findIndex((block) => block.type === 'binary' && block.url === url)}].url`;
}

/** What is too large to be told goes into an artifact of the session; the client's tools are told in any case (RA-9.28). */
async function keepData(
  { parts, clock }: SubmissionDeps,
  payload: UserInputPayload,
  place: { session_id: string; workspace_id: string; turn_id: string },
): Promise<UserInputPayload> {
  const { tools, ...data } = payload.data;
  const bytes = Buffer.from(JSON.stringify(data));
  if (bytes.length <= limits.event_data_bytes) return payload;
  const { turn_id, ...scope } = place;
  const { artifact_id, size_bytes, mime_type } = await parts.artifacts.create(
    {
      artifact_id: `${turn_id}-data`,
      ...scope,
      thread_id: null,
      bot_id: null,
      run_id: null,
      agent_id: null,
      name: 'run-data.json',
      mime_type: 'application/json',
      created_at: clock.now(),
      expires_at: null,
      metadata: { turn_id },
    },
    bytes,
  );
  const raw_ref = { artifact_id, size_bytes, mime_type };
  return { ...payload, data: tools === undefined ? {} : { tools }, raw_ref };
}

function payloadOf(order: RunOrder, urls: ResolvedUrls | undefined): UserInputPayload {
  const { input, payload_hash, agent_id, branch, dropped = 0, said } = order;
  const payload = userInputOf(input, payload_hash, urls);
  if (agent_id !== undefined) payload.mentioned_agent_id = agent_id;
  if (branch !== undefined) payload.branch = branch;
  if (said !== undefined) payload.input = said;
  if (dropped > 0) payload.data.dropped_messages = dropped;
  return payload;
}

/** Hands a run to its session. What it brings is put there first, and taken away again when the session refuses it. */
export async function submitTurn(deps: SubmissionDeps, principal: Principal, order: RunOrder): Promise<AcceptedRun> {
  const { input, agent_id, cancels } = order;
  const session_id = sessionIdOf(input.threadId);
  const turn_id = newId();
  const hasUrls = urlsOf(input).length > 0;
  const brings = order.bytes > limits.event_data_bytes || hasUrls;
  if (brings && (await deps.gateway.isForeign(session_id, principal))) throw noSuchThread();
  const message_id = `run:${input.runId}`;
  // Urls run out; what came of them the first time does not.
  const before = hasUrls
    ? await deps.gateway.findRepeat({ session_id, principal, message_id }, order.payload_hash)
    : null;
  if (before !== null) return before;
  const urls = hasUrls && order.said === undefined ? await resolved(deps, principal, order) : undefined;
  const place = { session_id, workspace_id: principal.workspace_id, turn_id };
  const told = payloadOf(order, urls);
  const payload = brings ? await keepData(deps, told, place) : told;
  const discard = async () => {
    if (payload.raw_ref !== undefined) await deps.parts.artifacts.delete(payload.raw_ref.artifact_id);
  };
  try {
    const accepted = await deps.gateway.submitRun({
      session_id,
      principal,
      message_id,
      turn_id,
      payload,
      open: agent_id === undefined ? {} : { active_agent_id: agent_id },
      cancels,
    });
    // The same run came before, and has what it brought.
    if (accepted.turn_id !== turn_id) await discard();
    return accepted;
  } catch (error) {
    // After a fault nobody knows whether it was taken.
    if (error instanceof ApiError && error.code !== 'runtime_error') await discard();
    throw error;
  }
}
