import { nothingOffered } from '@rostra/kernel/grant/grant-terms';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, test } from 'vitest';
import type { TranscriptReader } from '../../src/orchestrator/recent-messages.ts';
import type { TranscriptPage } from '../../src/store/ports/transcript.ts';
import { ManualClock } from '../manual-clock.ts';
import { agent, fixture, World, type WorldOptions } from './world.ts';

const world = (options: WorldOptions = {}, name = 'behaviours') => {
  return new World(fixture(name), new ManualClock(), options);
};

async function contextOf(w: World, text = 'context', agent_id = 'guide'): Promise<AgentRunContext> {
  const { payload } = await w.heard(w.input(text, agent_id), 'message');
  return AgentRunContext.parse(payload.content);
}

function row(session_id: string, seq: number, turn_id: string): TranscriptRow {
  return {
    session_id,
    seq,
    item_id: `i${seq}`,
    thread_id: null,
    bot_id: null,
    actor_id: null,
    turn_id,
    run_id: null,
    event_id: null,
    event_type: 'message.received',
    role: seq % 2 === 0 ? 'assistant' : 'user',
    item_type: 'message',
    actor: null,
    content: `message ${seq}`,
    content_json: null,
    attachments: [],
    ui_schema: null,
    created_at: 0,
    metadata: {},
    client_id: null,
    supersedes: null,
  };
}

/** A transcript of so many messages, the last of which is that of the current turn. */
class Transcript implements TranscriptReader {
  readonly asked: TranscriptPage[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  async page(session_id: string, page: TranscriptPage = {}) {
    this.asked.push(page);
    const { before = Number.POSITIVE_INFINITY, limit = 50 } = page;
    const all = Array.from({ length: this.#count }, (_, index) => {
      return row(session_id, index + 1, index + 1 === this.#count ? 't1' : `earlier ${index}`);
    }).filter(({ seq }) => seq < before);
    const rows = all.slice(-limit);
    return { rows, has_more: rows.length < all.length };
  }
}

const wanted = { bootstrap: AgentBootstrap.parse({ mode: 'recent_tail' }) };

describe('the context of a run', () => {
  test('has the event and how to answer it, and no history (check 52)', async () => {
    const transcript = new Transcript(9);
    const w = world({ transcript });
    const context = await contextOf(w);
    expect(context).toMatchObject({
      event: { event_type: 'message.received' },
      delivery: { surface: 'api' },
      bootstrap: null,
      adapter: null,
    });
    expect(transcript.asked).toEqual([]);
  });

  test('refers to what does not change by references that stay the same from run to run', async () => {
    const w = world();
    const [first, second] = [await contextOf(w), await contextOf(w)];
    expect(Object.keys(first.runtime.static_refs)).toContain('tool_schemas');
    expect(second.runtime.static_refs).toEqual(first.runtime.static_refs);
    const scout = await contextOf(w, 'context', 'scout');
    expect(scout.runtime.static_refs).not.toEqual(first.runtime.static_refs);
    // A runner that has no use for them gets none.
    expect((await contextOf(world({}, 'asks-for-history'))).runtime.static_refs).toEqual({});
  });

  test.each(['behaviours', 'asks-for-history'])(
    'names what may be called and what does not change byte for byte while the talk grows, and holds none of it: %s (CX-6.8)',
    async (name) => {
      let known = new Transcript(1);
      const transcript: TranscriptReader = { page: (session_id, page) => known.page(session_id, page) };
      const offers = { ...nothingOffered, apis: ['history_page', 'state'] as const };
      const w = world({ offers, transcript }, name);
      const stable = ({ context, resources, runtime, config }: AgentRunContext) =>
        JSON.stringify([context.available_apis, resources, runtime.static_refs, config]);
      const first = await contextOf(w);
      known = new Transcript(40);
      const later = await contextOf(w);
      expect(stable(later)).toBe(stable(first));
      expect(JSON.stringify(later)).not.toContain('message 39');
      expect(later.context.available_apis.history_page).toBe(name === 'asks-for-history');
      expect(later.context.transcript_seq).toBe(name === 'asks-for-history' ? 40 : null);
    },
  );

  test('follows the agent’s newest revision; a live run keeps what it was given', async () => {
    const w = world();
    const before = await contextOf(w);
    w.agents.replace([agent('guide', 'fixture', { config: { persona: 'changed' } })]);
    const after = await contextOf(w);
    expect(before.config).toEqual({ persona: 'guide' });
    expect(after.config).toEqual({ persona: 'changed' });
    expect(after.runtime.static_refs.system_policy).not.toEqual(before.runtime.static_refs.system_policy);
    expect(after.runtime.static_refs.tool_schemas?.hash).toEqual(before.runtime.static_refs.tool_schemas?.hash);
  });

  test('tells the locale and the timezone of the host', async () => {
    const w = world({ locale: 'en_US', timezone: 'Europe/Berlin' });
    expect((await contextOf(w)).runtime).toMatchObject({ locale: 'en_US', timezone: 'Europe/Berlin' });
  });

  test('offers the calls that the host serves, the manifest asks for and the agent allows', async () => {
    const offers = { ...nothingOffered, apis: ['history_page', 'history_search', 'state'] as const };
    const transcript = new Transcript(3);
    const w = world({ offers, transcript }, 'asks-for-history');
    const context = await contextOf(w);
    expect(context.context.available_apis).toMatchObject({ history_page: true, history_search: false, state: true });
    expect(context.resources.history).toEqual({ operations: ['page'], scope: 'conversation' });
    expect(context.context).toMatchObject({ transcript_seq: 3, has_history_before: true });
    expect(context.bootstrap).toBeNull();
    const denied = world({ offers, binding: { grants: AgentGrants.parse({ history: [], state_scopes: [] }) } });
    expect(Object.values((await contextOf(denied)).context.available_apis)).toEqual(Array(14).fill(false));
  });
});

describe('earlier messages', () => {
  test('are inlined when manifest and agent both ask for them', async () => {
    const transcript = new Transcript(5);
    const context = await contextOf(world({ binding: wanted, transcript }, 'asks-for-history'));
    expect(context.bootstrap?.messages).toEqual([
      { role: 'user', content: 'message 1' },
      { role: 'assistant', content: 'message 2' },
      { role: 'user', content: 'message 3' },
      { role: 'assistant', content: 'message 4' },
    ]);
    expect(context.context.inline_policy).toMatchObject({
      mode: 'recent_tail',
      delivered_count: 4,
      messages_complete: true,
    });
    expect(context.input.text).toBe('context');
  });

  test('are not inlined for a runner that does not ask for them', async () => {
    const context = await contextOf(world({ binding: wanted, transcript: new Transcript(5) }));
    expect(context.bootstrap).toBeNull();
    expect(context.context.inline_policy.reason).toContain('runner');
  });

  test('are read in pages, up to the hard cap and no further', async () => {
    const transcript = new Transcript(400);
    const bootstrap = AgentBootstrap.parse({ mode: 'recent_tail', max_events: 5000, max_bytes: 5_000_000 });
    const context = await contextOf(world({ binding: { bootstrap }, transcript }, 'asks-for-history'));
    expect(context.bootstrap?.messages).toHaveLength(200);
    expect(context.context.inline_policy).toMatchObject({ delivered_count: 200, messages_complete: false });
    expect(transcript.asked.map(({ limit }) => limit)).toEqual([100, 100, 1]);
  });

  test('that cannot be read cost the run its history and not its life', async () => {
    const transcript: TranscriptReader = {
      page: () => Promise.reject(new ApiError('runtime_error', 'The disk is gone.')),
    };
    const context = await contextOf(world({ binding: wanted, transcript }, 'asks-for-history'));
    expect(context.bootstrap).toBeNull();
    expect(context.context.inline_policy.mode).toBe('current_event');
  });

  test('are not waited for by a run that is cancelled meanwhile', async () => {
    let arrive: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const transcript: TranscriptReader = {
      page: () => {
        arrive();
        return new Promise(() => undefined);
      },
    };
    const w = world({ binding: wanted, transcript }, 'asks-for-history');
    const turn = w.input('context');
    await asked;
    w.cancel(turn);
    expect(w.kinds(turn)).toEqual(['CONTROL:CANCEL_ACK']);
    expect(w.orchestrator.stats()).toMatchObject({ live: 0, dispatched: 0 });
  });
});

describe('a further attempt', () => {
  test('goes on in the same message, and is told what was said', async () => {
    const w = world();
    const resume = { attempt: 2, said: 'half', message_id: 't1.1.m1', channel: 'text' as const, next_chunk: 7 };
    const message = w.inputMessage('again', 'stream');
    if (message.subtype !== 'INPUT') throw new Error('an input was expected');
    w.send({ ...message, run_id: 'again.2', payload: { ...message.payload, resume } });
    await w.heard('again', 'final');
    const [chunk] = w.of('again').filter((each: SessionMessage) => each.subtype === 'chunk');
    expect(chunk).toMatchObject({ run_id: 'again.2', sequence: 0, payload: { message_id: 't1.1.m1', n: 7 } });
    const told = w.inputMessage('told', 'context');
    if (told.subtype !== 'INPUT') throw new Error('an input was expected');
    w.send({ ...told, run_id: 'told.2', payload: { ...told.payload, resume } });
    const { payload } = await w.heard('told', 'message');
    expect(payload.content).toMatchObject({ run_id: 'told.2', metadata: { resume: { attempt: 2, said: 'half' } } });
  });
});
