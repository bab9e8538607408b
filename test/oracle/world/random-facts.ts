import { type Grant, grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, type HostOffers } from '@rostra/kernel/grant/grant-terms';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import type { Prng } from '../../simulation/world/prng.ts';
import type { ArtifactFact, Facts, LedgerFact, Place, RunFact, SaidFact } from './facts.ts';

/** The workspace of this host, and one that is somebody else's. */
export const WORKSPACE = 'w';
const OTHER_WORKSPACE = 'x';
export const packages = ['alpha', 'beta'] as const;
const conversations = ['c1', 'c2'] as const;
const LEDGER = 14;
const ARTIFACTS = 14;
const SAID = 30;
const LIFE = 20_000;

const words = ['连接串', 'database', 'tulips', '数据库', 'harbour', 'blue'] as const;

/** A conversation that no run has been in, nor its bot, nor whom it speaks with. */
const remote: Place = {
  workspace_id: WORKSPACE,
  conversation_id: `${WORKSPACE}-c3`,
  bot_id: 'bot-9',
  thread_id: null,
  actor_id: 'zoe',
  subject_id: null,
};

export function randomPlace(prng: Prng): Place {
  if (prng.chance(0.1)) return remote;
  const workspace_id = prng.chance(0.85) ? WORKSPACE : OTHER_WORKSPACE;
  return {
    workspace_id,
    // A conversation is of one workspace.
    conversation_id: `${workspace_id}-${prng.pick(conversations)}`,
    bot_id: prng.pick([null, null, 'bot-1']),
    thread_id: prng.pick([null, null, null, 'thread-1']),
    actor_id: prng.pick([null, 'ann', 'bob']),
    subject_id: prng.pick([null, 'subject-1']),
  };
}

function some<T>(prng: Prng, all: readonly T[], each = 0.7): T[] {
  return all.filter(() => prng.chance(each));
}

/** Where there is a policy it is silent about half of what there is to say. */
function perhaps<T>(prng: Prng, all: readonly T[]): T[] | undefined {
  return prng.chance(0.5) ? undefined : some(prng, all);
}

const areas = ['plugin', 'workspace', 'binding'] as const;
const scopes = ['conversation', 'actor', 'subject', 'runner', 'binding'] as const;
const actions = ['message.edit', 'message.delete'] as const;
const kinds = ['form', 'confirmation', 'choice'] as const;

function randomGrant(prng: Prng, run: Omit<RunFact, 'grant'>, offers: HostOffers): Grant {
  const permissions = AgentRunnerPermissions.parse({
    history: some(prng, ['page', 'search']),
    events: some(prng, ['get', 'page']),
    artifacts: some(prng, ['metadata', 'read']),
    storage: some(prng, areas),
    interactions: some(prng, kinds),
    platform_api: some(prng, actions),
  });
  const capabilities = AgentRunnerCapabilities.parse({
    steering: prng.chance(0.6),
    interactions: prng.chance(0.8),
    platform_api: prng.chance(0.8),
  });
  const policy = {
    history: perhaps(prng, ['page', 'search'] as const),
    events: perhaps(prng, ['get', 'page'] as const),
    artifacts: perhaps(prng, ['metadata', 'read'] as const),
    storage: perhaps(prng, areas),
    interactions: perhaps(prng, kinds),
    platform_api: perhaps(prng, actions),
    state_scopes: perhaps(prng, scopes),
    history_scope: prng.pick(['conversation', 'actor', 'bot', 'workspace'] as const),
  };
  const { bot_id, actor_id, subject_id } = run.place;
  const terms = grantTerms({
    manifest: { permissions, capabilities },
    grants: AgentGrants.parse(Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined))),
    steering: prng.chance(0.7),
    prompt: run.has_prompt,
    offers,
    identities: { bot: bot_id !== null, actor: actor_id !== null, subject: subject_id !== null },
  });
  return grantOf(terms, { ...run, scope: run.place, attachments: [] });
}

export function randomRun(prng: Prng, number: number, at: number, offers: HostOffers): RunFact {
  const name = prng.pick(packages);
  const place = randomPlace(prng);
  const run = {
    run_id: `turn-${number}.1`,
    turn_id: `turn-${number}`,
    agent_id: prng.pick(['guide', 'scout']),
    runner_id: `${name}/${prng.pick(['one', 'two'])}`,
    package: name,
    // Runs of this host are of its workspace.
    place: { ...place, workspace_id: WORKSPACE, conversation_id: `${WORKSPACE}-${prng.pick(conversations)}` },
    deadline_at: at + prng.between(LIFE / 20, LIFE),
    has_prompt: prng.chance(0.5),
  };
  return { ...run, grant: randomGrant(prng, run, offers) };
}

function randomLedger(prng: Prng): LedgerFact[] {
  return Array.from({ length: LEDGER }, (_, index) => ({
    run_id: `past-${index}.1`,
    agent_id: prng.pick(['guide', 'scout']),
    status: prng.pick(['running', 'completed', 'failed', 'cancelled'] as const),
    place: randomPlace(prng),
  }));
}

function randomArtifact(prng: Prng, index: number, at: number): ArtifactFact {
  const place = randomPlace(prng);
  return {
    artifact_id: `artifact-${index}`,
    workspace_id: place.workspace_id,
    visibility: prng.pick(['conversation', 'conversation', 'agent', 'run']),
    place,
    agent_id: prng.pick(['guide', 'scout']),
    run_id: `turn-${prng.between(1, 12)}.1`,
    expires_at: prng.chance(0.4) ? at + prng.below(LIFE) : null,
    bytes: Buffer.alloc(prng.pick([0, 1, 100, 5000]), `artifact ${index} `),
  };
}

function randomSaid(prng: Prng, index: number): Omit<SaidFact, 'seq'> {
  const isUser = prng.chance(0.5);
  return {
    event_id: `event-${index}`,
    run_id: isUser ? null : prng.pick([`past-${prng.below(LEDGER)}.1`, `turn-${prng.between(1, 12)}.1`]),
    event_type: isUser ? 'message.received' : 'message.completed',
    role: isUser ? 'user' : 'assistant',
    content: `${prng.pick(words)} ${prng.pick(words)} ${index}`,
    place: randomPlace(prng),
  };
}

/** Each conversation has a log of its own. */
function numbered(said: readonly Omit<SaidFact, 'seq'>[]): SaidFact[] {
  const last = new Map<string, number>();
  return said.map((fact) => {
    const seq = (last.get(fact.place.conversation_id) ?? 0) + 1;
    last.set(fact.place.conversation_id, seq);
    return { ...fact, seq };
  });
}

export function randomFacts(prng: Prng, at: number): Facts {
  return {
    ledger: randomLedger(prng),
    artifacts: Array.from({ length: ARTIFACTS }, (_, index) => randomArtifact(prng, index, at)),
    said: numbered(Array.from({ length: SAID }, (_, index) => randomSaid(prng, index))),
  };
}
