import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runnerData } from '../../src/main/runner-data.ts';
import type { RunVoice } from '../../src/orchestrator/run-voice.ts';
import { CallMeter } from '../../src/proxy/call-meter.ts';
import { AgentRunAPIProxy } from '../../src/proxy/gate.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ManualClock } from '../manual-clock.ts';
import { fixture, privateFolder, World } from '../orchestrator/world.ts';
import { workerUrl } from '../store/sqlite/sqlite-folder.ts';

const stateOfRunner = {
  scope: 'runner',
  workspace_id: 'default',
  runner_id: 'fixture',
  agent_id: 'guide',
  bot_id: null,
  scope_id: null,
  session_id: null,
} as const;

/** A real runner process, the real gate, a real database: only time and the session are the test's own. */
class Kept {
  readonly world: World;
  readonly data: string;
  readonly store: SqliteStore;
  #turns = 0;

  private constructor(store: SqliteStore, data: string) {
    this.store = store;
    this.data = data;
    const clock = new ManualClock();
    const voice = { act: (...deed: Parameters<RunVoice['act']>) => this.world.orchestrator.voice.act(...deed) };
    const { services, effects, state } = runnerData({
      store,
      clock,
      data,
      artifact_bytes: limits.artifact_bytes,
      voice,
    });
    const door = new AgentRunAPIProxy({
      services,
      workspace_id: 'default',
      clock,
      meter: new CallMeter(),
      audit: { add: () => undefined },
      refusals: { refused: () => undefined },
    });
    const offers = { ...nothingOffered, apis: ContextAPICapabilities.keyof().options };
    this.world = new World(fixture('keeper'), clock, { door, effects, state, offers });
  }

  static async open(): Promise<Kept> {
    const data = privateFolder();
    const store = await SqliteStore.open({ path: path.join(data, 'rostra.db'), workerUrl });
    onTestFinished(() => store.close());
    return new Kept(store, data);
  }

  begin(session_id: string, text: string): string {
    this.#turns += 1;
    const turn_id = `turn-${this.#turns}`;
    this.world.send({ ...this.world.inputMessage(turn_id, text), session_id });
    return turn_id;
  }

  /** The updates of state that the session heard of. */
  told(turn_id: string): unknown[] {
    const updates = this.world.of(turn_id).filter(({ subtype }) => subtype === 'state.updated');
    return updates.map(({ payload }) => payload);
  }

  /** Runs one order in a conversation; what the runner says of it. */
  async order(session_id: string, text: string): Promise<unknown> {
    const turn_id = this.begin(session_id, text);
    const { payload } = await this.world.heard(turn_id, 'message');
    await this.world.heard(turn_id, 'final');
    return payload.content;
  }
}

describe('a runner process', () => {
  it('writes 15 MiB in pieces, which are read back in ranges and as a stream, byte by byte, until they expire', async () => {
    const kept = await Kept.open();
    const { world, data } = kept;
    const size = 15 * 1024 * 1024;
    const made = kept.begin('talk', `make ${size} ${Math.floor(world.clock.now() / 1000) + 5}`);
    const { payload: created } = await world.heard(made, 'artifact.created');
    const { payload: said } = await world.heard(made, 'message');
    const { sha256 } = said.content as { sha256: string };
    expect(created).toMatchObject({
      name: 'made.bin',
      mime_type: 'application/octet-stream',
      size_bytes: size,
      sha256,
      conversation_id: 'talk',
    });
    expect(Object.keys(created)).not.toContain('upload_id');
    await world.heard(made, 'final');
    const uploads = path.join(data, 'uploads');
    expect(existsSync(uploads) ? readdirSync(uploads) : []).toEqual([]);

    expect(await kept.order('talk', `read ${created.artifact_id}`)).toEqual({ pieces: 15, sha256 });
    expect(await kept.order('talk', `stream ${created.artifact_id}`)).toEqual({ size_bytes: size, sha256 });
    const unknown = await kept.order('talk', 'read nothing');
    expect(unknown).toMatchObject({ code: 'not_found' });
    expect(await kept.order('another talk', `read ${created.artifact_id}`)).toEqual(unknown);
    world.clock.advance(5000);
    expect(await kept.order('talk', `read ${created.artifact_id}`)).toEqual(unknown);
  });

  it('that keeps something by a call is heard of like one that keeps it by a result', async () => {
    const kept = await Kept.open();
    expect(await kept.order('talk', 'keep mine')).toEqual({ success: true });
    expect(kept.told('turn-1')).toEqual([
      { scope: 'runner', key: 'gone', value: null },
      { scope: 'conversation', key: 'external.conversation_id', value: 'mine' },
    ]);
  });

  it('finds what it told its host to keep in the state of its next run; what is refused is not told (checks 50 and 51)', async () => {
    const kept = await Kept.open();
    const turn = kept.begin('talk', 'remember abc');
    await kept.world.heard(turn, 'final');
    expect(kept.told(turn)).toEqual([{ scope: 'conversation', key: 'external.session_id', value: 'abc' }]);
    const state = { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} };
    expect(await kept.order('talk', 'recall')).toEqual({ ...state, conversation: { 'external.session_id': 'abc' } });
    expect(await kept.order('another talk', 'recall')).toEqual(state);
  });

  it('changes no state by what it says after its last result (fault 53)', async () => {
    const kept = await Kept.open();
    const turn = kept.begin('talk', 'late');
    await kept.world.heard(turn, 'final');
    await kept.order('talk', 'recall');
    expect(kept.told(turn)).toEqual([{ scope: 'runner', key: 'before', value: 1 }]);
    expect(await kept.store.state.list(stateOfRunner)).toEqual(['before']);
  });

  it('changes no state by what it says after it was cancelled (fault 53)', async () => {
    const kept = await Kept.open();
    const turn = kept.begin('talk', 'wait');
    await kept.world.heard(turn, 'state.updated');
    kept.world.cancel(turn);
    await kept.world.heard(turn, 'CANCEL_ACK');
    await kept.order('talk', 'recall');
    expect(kept.world.orchestrator.stats().misdeeds).toEqual({ after_terminal: 1 });
    expect(kept.told(turn)).toEqual([{ scope: 'runner', key: 'before', value: 1 }]);
    expect(await kept.store.state.list(stateOfRunner)).toEqual(['before']);
  });
});
