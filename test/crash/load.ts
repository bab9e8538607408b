import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type HostProcess, runInput } from '../e2e/host-process.ts';
import { type AcceptedTurn, isTerminal, type Ledger } from './ledger.ts';

/** A number from 0 up to 1, the same row of them for the same seed. */
export type Chance = () => number;

interface Scene {
  readonly text: string;
  /** After how many frames its client changes its mind. */
  readonly cancelAfter?: number;
  readonly agentId?: string;
}

const scenes: readonly Scene[] = [
  { text: '/stream 20' },
  { text: '/stream 50', agentId: 'scout' },
  { text: '/slow 40 10' },
  { text: '/slow 15 40', agentId: 'scout' },
  { text: '/slow 400 10', cancelAfter: 12 },
  { text: '/hang', cancelAfter: 1 },
  { text: '/tool' },
  { text: '/ui' },
  { text: '/fail' },
  { text: 'What is Rostra?' },
  { text: '主机做什么?', agentId: 'scout' },
];

const RETRY_MS = 15;

/** Clients that talk to a host which may be gone at any moment, and come back to it wherever they were. */
export class Load {
  readonly #host: HostProcess;
  readonly #ledger: Ledger;
  readonly #chance: Chance;
  #isOver = false;

  constructor(host: HostProcess, ledger: Ledger, chance: Chance) {
    this.#host = host;
    this.#ledger = ledger;
    this.#chance = chance;
  }

  /** Resolves when it was stopped and every client has read its last stream to its end. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  /** No new runs from now on. */
  stop(): void {
    this.#isOver = true;
  }

  async #client(): Promise<void> {
    let threadId = randomUUID();
    while (!this.#isOver) {
      if (this.#chance() < 0.2) threadId = randomUUID();
      const turns = this.#chance() < 0.2 ? [this.#turn(threadId), this.#turn(threadId)] : [this.#turn(threadId)];
      await Promise.all(turns);
    }
  }

  async #turn(threadId: string): Promise<void> {
    const scene = scenes[Math.floor(this.#chance() * scenes.length)] ?? { text: '/stream 1' };
    const agent = scene.agentId === undefined ? {} : { agentId: scene.agentId };
    const turn = await this.#submit(runInput(scene.text, { threadId, ...agent }));
    if (turn !== null) await this.#follow(turn, scene.cancelAfter ?? null);
  }

  /** The same request until it is answered: what happened to an earlier one is not known. */
  async #submit(body: unknown): Promise<AcceptedTurn | null> {
    for (;;) {
      const reply = await this.#host.request('POST', '/api/v1/agent/runs', { body }).catch(() => null);
      if (reply?.status === 202) return this.#ledger.accept(String(reply.body.taskId), body);
      if (reply?.status === 429) return null;
      if (reply !== null && reply.status < 500) throw new Error(`refused: ${JSON.stringify(reply.body)}`);
      await pause(RETRY_MS);
    }
  }

  async #follow(turn: AcceptedTurn, cancelAfter: number | null): Promise<void> {
    let after: string | undefined;
    let cancel = cancelAfter;
    for (;;) {
      const most = cancel ?? Number.POSITIVE_INFINITY;
      const frames = await this.#host
        .events(turn.taskId, { most, ...(after !== undefined && { after }) })
        .catch(cutOff);
      if (typeof frames === 'string') {
        this.#ledger.refuse(turn, frames);
        return;
      }
      this.#ledger.show(turn, frames);
      after = frames.at(-1)?.id ?? after;
      const last = frames.at(-1);
      if (last !== undefined && isTerminal(last)) return;
      if (cancel !== null && frames.length >= cancel) {
        await this.#cancel(turn);
        cancel = null;
      } else await this.#comeBack(turn);
    }
  }

  async #cancel(turn: AcceptedTurn): Promise<void> {
    for (;;) {
      const reply = await this.#host.cancel(turn.taskId, '').catch(() => null);
      if (reply !== null && reply.status < 500) return;
      await pause(RETRY_MS);
    }
  }

  /** The stream was cut. Whoever lost a connection also does not know whether the run was taken: it asks again. */
  async #comeBack(turn: AcceptedTurn): Promise<void> {
    await pause(RETRY_MS);
    if (this.#chance() > 0.2) return;
    const reply = await this.#host.request('POST', '/api/v1/agent/runs', { body: turn.body }).catch(() => null);
    if (reply?.status === 202 && reply.body.taskId !== turn.taskId) this.#ledger.forget(turn, reply.body.taskId);
    else if (reply !== null && reply.status !== 202 && reply.status < 500) this.#ledger.forget(turn, reply.status);
  }
}

/** A connection that broke has shown nothing; a refusal (404, 409) is told: it must not happen to a turn that is there. */
function cutOff(error: unknown): string | [] {
  const text = error instanceof Error ? error.message : String(error);
  return /^4\d\d /.test(text) ? text : [];
}
