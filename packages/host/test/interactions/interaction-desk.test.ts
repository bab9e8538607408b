import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { beforeEach, describe, expect, it } from 'vitest';
import { InteractionDesk } from '../../src/interactions/interaction-desk.ts';
import type { RunListener } from '../../src/orchestrator/run-voice.ts';
import { activeRun, type TestRun } from '../proxy/gate-bench.ts';
import { interactionRow } from '../store/ports/interaction.suite.ts';

const answer = { action_id: 'yes', values: { n: 1 } };

/** The second attempt of a turn whose first one asked `q`; the inbox answers when the test lets it. */
class Second {
  readonly run: TestRun = { ...activeRun('t.2'), turn_id: 't' };
  row: InteractionRow = interactionRow('q', { session_id: 'c' });
  readonly paused = new Set<string>();
  readonly reads: (() => void)[] = [];
  readonly desk: InteractionDesk;
  #heard: RunListener = () => undefined;

  constructor() {
    this.desk = new InteractionDesk({
      voice: {
        tell: () => true,
        watch: (listener) => {
          this.#heard = listener;
          return () => undefined;
        },
        pause: (_run_id, id) => !!this.paused.add(id),
        resume: (_run_id, id) => this.paused.delete(id),
      },
      // What it reads is what stood there when it began.
      store: {
        get: () => {
          const { row } = this;
          return new Promise((resolve) => this.reads.push(() => resolve(row)));
        },
      },
      now: () => 0,
      newId: () => 'new',
    });
  }

  /** The session takes the answer, and tells whoever runs now. */
  answered(): void {
    this.row = { ...this.row, status: 'answered', answer };
    const sender = { kind: 'session' as const, id: 'c' };
    const envelope = { id: 'm', session_id: 'c', sender, target: 'AGENT' as const, ts: 0, epoch: 1 };
    this.#heard(this.run, MessageFactory.control('INTERACTION_ANSWERED', { interaction_id: 'q', ...answer }, envelope));
  }

  async read(): Promise<void> {
    for (const read of this.reads.splice(0)) read();
    for (let i = 0; i < 5; i += 1) await Promise.resolve();
  }
}

describe('a run that waits for what an earlier attempt asked', () => {
  let second: Second;
  beforeEach(() => {
    second = new Second();
  });

  it('is told the answer that comes, and its deadline stands still until then', async () => {
    const waiting = second.desk.wait(second.run, 'q');
    await second.read();
    await second.read();
    expect([...second.paused]).toEqual(['q']);
    second.answered();
    expect(await waiting).toEqual({ interaction_id: 'q', status: 'submitted', action: 'yes', values: { n: 1 } });
  });

  it('is told the answer that came while the inbox was read', async () => {
    const waiting = second.desk.wait(second.run, 'q');
    second.answered();
    await second.read();
    await second.read();
    expect(await waiting).toEqual({ interaction_id: 'q', status: 'submitted', action: 'yes', values: { n: 1 } });
    expect(second.paused.size).toBe(0);
  });

  it('is told it as often as it waits', async () => {
    const one = second.desk.wait(second.run, 'q');
    await second.read();
    await second.read();
    const other = second.desk.wait(second.run, 'q');
    second.answered();
    expect([(await one).action, (await other).action]).toEqual(['yes', 'yes']);
    expect((await second.desk.wait(second.run, 'q')).action).toBe('yes');
  });

  it('waits for nothing when it is over before the inbox was read', async () => {
    const waiting = second.desk.wait(second.run, 'q');
    second.run.end();
    await second.read();
    expect((await waiting).status).toBe('cancelled');
  });
});
