import { describe, expect, it } from 'vitest';
import { readiness } from '../../src/http/routes/health.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { StoreKeeping } from '../../src/main/store-keeping.ts';
import type { StoreHealth } from '../../src/store/host-store.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { ManualClock } from '../manual-clock.ts';

const sound: StoreHealth = { state: 'sound', problems: [], damaged_sessions: [] };

/** A store that finds out about itself what the test says. */
class Suspect extends MemoryStore {
  now: StoreHealth = { ...sound, state: 'checking' };
  readonly #found: StoreHealth;

  constructor(found: StoreHealth) {
    super();
    this.#found = found;
  }

  override health(): StoreHealth {
    return this.now;
  }

  override async inspect(): Promise<StoreHealth> {
    this.now = this.#found;
    return this.now;
  }
}

function keep(store: MemoryStore) {
  const lines: string[] = [];
  const policy = () => ({ sessions: null, audit: null, artifacts: null });
  const log = new HostLog((text) => lines.push(text));
  const keeping = new StoreKeeping({ store, clock: new ManualClock(), log, policy });
  const ready = () => {
    const about = { version: '0', started_at: 0, sessions: 0, live_turns: 0, agents: [], runner: 'ready' };
    return readiness({ ...about, missing: keeping.missing(), notes: keeping.notes() });
  };
  return { keeping, ready, lines };
}

describe('/readyz', () => {
  it('says nothing of a sound store', () => {
    expect(keep(new MemoryStore()).ready()).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it('tells while the store is looked through, and serves meanwhile', async () => {
    const { keeping, ready } = keep(new Suspect(sound));
    expect(ready()).toEqual({
      status: 200,
      body: { status: 'ready', notes: ['The host did not stop in order; its database is being checked.'] },
    });
    keeping.start();
    await Promise.resolve();
    expect(ready()).toEqual({ status: 200, body: { status: 'ready' } });
    await keeping.stop();
  });

  it('is not ready with a damaged file', async () => {
    const { keeping, ready, lines } = keep(new Suspect({ ...sound, state: 'damaged', problems: ['page 7 is lost'] }));
    keeping.start();
    await keeping.stop();
    expect(ready()).toMatchObject({ status: 503, body: { missing: ['a sound database (page 7 is lost)'] } });
    expect(lines.join('')).toContain('store.damaged');
  });

  it('names a damaged session and serves the others', async () => {
    const { keeping, ready } = keep(new Suspect({ ...sound, state: 'damaged', damaged_sessions: ['s'] }));
    keeping.start();
    await keeping.stop();
    expect(ready()).toEqual({
      status: 200,
      body: { status: 'ready', notes: ['The log of session s is damaged: it is read-only.'] },
    });
  });
});
