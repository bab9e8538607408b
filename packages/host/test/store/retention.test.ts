import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { Retention, type RetentionPolicy, type RetentionReport } from '../../src/store/retention.ts';
import { ManualClock } from '../manual-clock.ts';
import { newArtifact } from './ports/artifact.suite.ts';
import { baseRow, chunksOf, documentRow, index, searchFor, textsOf } from './ports/knowledge-rows.ts';
import { commit, SessionUnits } from './session-units.ts';

const DAY = 24 * 60 * 60_000;
const forEver: RetentionPolicy = { sessions: null, audit: null, artifacts: null };

class World {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore({ now: () => this.clock.now() });
  readonly reports: RetentionReport[] = [];
  readonly failures: unknown[] = [];
  policy: RetentionPolicy = forEver;
  readonly retention = new Retention({
    store: this.store,
    clock: this.clock,
    policy: () => this.policy,
    swept: (report) => this.reports.push(report),
    failed: (error) => this.failures.push(error),
  });

  async session(id: string, age: number): Promise<void> {
    await commit(this.store, { ...new SessionUnits(id).next(2), time: this.clock.now() - age });
  }

  async audit(age: number): Promise<void> {
    const nothing = { session_id: null, run_id: null, runner_id: null, resource: null, scope: null, details: null };
    const entry = { ...nothing, at: this.clock.now() - age, workspace_id: 'w', actor: 'a', action: 'x', result: 'ok' };
    await this.store.audit.append([entry]);
  }

  async sweep(): Promise<RetentionReport> {
    let report: RetentionReport | null = null;
    const sweeping = this.retention.sweep().then((done) => {
      report = done;
    });
    while (report === null) {
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.advance(limits.sweep_pause);
    }
    await sweeping;
    return report;
  }

  async ids(): Promise<string[]> {
    return (await this.store.sessions.list()).map(({ session_id }) => session_id);
  }
}

describe('retention', () => {
  it('keeps everything when nothing is said', async () => {
    const world = new World();
    await world.session('old', 9_000 * DAY);
    await world.audit(9_000 * DAY);
    await world.store.artifacts.create(newArtifact('old', { created_at: 1 }), new Uint8Array(1));
    expect(await world.sweep()).toEqual({ sessions: 0, audit: 0, artifacts: 0, files: 0 });
    expect(await world.ids()).toEqual(['old']);
  });

  it('takes what a deleted session left without a whole sweep, in steps, and stops between two of them', async () => {
    const world = new World();
    let steps = 0;
    world.store.sessions.purge = async () => {
      steps += 1;
      return steps < 5;
    };
    const purging = world.retention.purge();
    expect(world.retention.purge()).toBe(purging);
    while (steps < 5) {
      await new Promise((resolve) => setImmediate(resolve));
      world.clock.advance(limits.sweep_pause);
    }
    await purging;
    expect(world.clock.armed).toBe(0);
    steps = 0;
    const again = world.retention.purge();
    await new Promise((resolve) => setImmediate(resolve));
    await world.retention.stop();
    await again;
    expect([steps, world.clock.armed]).toEqual([1, 0]);
  });

  it('removes what is older than its days, and nothing younger', async () => {
    const world = new World();
    world.policy = { sessions: 10, audit: 5, artifacts: 20 };
    await world.session('old', 10 * DAY + 1_000);
    await world.session('young', 10 * DAY - 60_000);
    await world.audit(5 * DAY + 1_000);
    await world.audit(5 * DAY - 60_000);
    const now = world.clock.now();
    await world.store.artifacts.create(newArtifact('a1', { created_at: now - 20 * DAY - 1_000 }), new Uint8Array([1]));
    await world.store.artifacts.create(newArtifact('a2', { created_at: now - 20 * DAY + 60_000 }), new Uint8Array([2]));
    world.clock.advance(limits.orphan_age);
    world.policy = { sessions: 10 + 1 / 24, audit: 5 + 1 / 24, artifacts: 20 + 1 / 24 };
    expect(await world.sweep()).toEqual({ sessions: 1, audit: 1, artifacts: 1, files: 1 });
    expect(await world.ids()).toEqual(['young']);
    expect((await world.store.audit.page({ workspace_id: 'w' })).rows).toHaveLength(1);
    expect(await world.store.artifacts.get('a1', now)).toBeNull();
    expect(await world.store.artifacts.get('a2', now)).not.toBeNull();
  });

  it('leaves documents and their files alone, however old, and takes what deleted ones left', async () => {
    const world = new World();
    const { knowledge, artifacts } = world.store;
    world.policy = { ...forEver, artifacts: 1 };
    await knowledge.putBase(baseRow('kb'));
    for (const id of ['kept', 'deleted']) {
      await artifacts.create(newArtifact(`file of ${id}`, { session_id: null, created_at: 1 }), new Uint8Array([1]));
      await knowledge.putDocument(documentRow('kb', id));
      await index(knowledge, id, chunksOf([`said in ${id}`]));
    }
    const steps = [true, true, false];
    const sweep = knowledge.sweep;
    knowledge.sweep = async () => (await sweep()) || (steps.shift() ?? false);
    await knowledge.deleteDocument('deleted');
    expect(await world.sweep()).toMatchObject({ artifacts: 1 });
    expect(steps).toEqual([]);
    expect(await artifacts.get('file of kept', world.clock.now())).not.toBeNull();
    expect(await artifacts.get('file of deleted', world.clock.now())).toBeNull();
    expect(await textsOf(knowledge, searchFor('kb', { words: 'said' }))).toEqual(['said in kept']);
  });

  it('goes through many sessions, a few at a time, with pauses between', async () => {
    const world = new World();
    world.policy = { ...forEver, sessions: 1 };
    const count = 2 * limits.sweep_sessions + 5;
    for (let n = 0; n < count; n += 1) await world.session(`s${n}`, 2 * DAY);
    const before = world.clock.now();
    expect((await world.sweep()).sessions).toBe(count);
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(2 * limits.sweep_pause);
  });

  it('sweeps again and again, tells only what it removed, and ends when told to', async () => {
    const world = new World();
    world.policy = { ...forEver, sessions: 1 };
    await world.session('old', 2 * DAY);
    world.retention.start();
    expect(world.reports).toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      world.clock.advance(limits.sweep_every);
      for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(world.reports).toEqual([{ sessions: 1, audit: 0, artifacts: 0, files: 0 }]);
    expect(world.failures).toEqual([]);
    await world.retention.stop();
    expect(world.clock.armed).toBe(0);
  });

  it('ends between two steps of a sweep', async () => {
    const world = new World();
    world.policy = { ...forEver, sessions: 1 };
    for (let n = 0; n < limits.sweep_sessions + 5; n += 1) await world.session(`s${n}`, 2 * DAY);
    const sweeping = world.retention.sweep();
    for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
    await world.retention.stop();
    expect((await sweeping).sessions).toBe(limits.sweep_sessions);
  });
});
