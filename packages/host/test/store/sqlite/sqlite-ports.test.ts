import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { newArtifact } from '../ports/artifact.suite.ts';
import { describeLeases } from '../ports/lease.suite.ts';
import { describePorts } from '../ports/ports.suite.ts';
import { stateScope } from '../ports/state.suite.ts';
import { claim, commit, own, runRow, SessionUnits, transcriptRow } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'rostra-ports-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describePorts('sqlite', () => {
  return SqliteStore.open({ path: join(mkdtempSync(join(root, 'store-')), 'rostra.db'), workerUrl });
});

describePorts('sqlite by its journal', () => {
  const path = join(mkdtempSync(join(root, 'store-')), 'rostra.db');
  return SqliteStore.open({ path, workerUrl, sole: true, crowd: 1 });
});

describeLeases('sqlite', async () => {
  const clock = { now: 1_000_000 };
  const path = await databasePath();
  const writer = new Writer(await openForWriting(path), new DatabaseFile(path), 'class', () => clock.now);
  return {
    clock,
    claim: (session_id, holder) => writer.claim(session_id, holder),
    renew: (holder) => writer.renew(holder),
    release: (session_id, holder) => writer.release(session_id, holder),
    commit: (...units) => writer.commit(units),
  };
});

describe('a restart', () => {
  it('log, transcript, artifacts and state survive a restart (RP-12.5)', async () => {
    const path = await databasePath();
    const store = await SqliteStore.open({ path, workerUrl });
    const written = { runs: [runRow('s', 't.1')], transcript: [transcriptRow('s', 2)] };
    await commit(store, new SessionUnits('s').next(2, written));
    await store.artifacts.create(newArtifact('a'), new Uint8Array([1, 2, 3]));
    await store.state.set(stateScope(), 'k', { v: 1 }, 1);
    await store.close();

    const again = await SqliteStore.open({ path, workerUrl });
    expect(await own(again, 's')).toMatchObject({ last_seq: 2 });
    expect(await again.runs.get('t.1')).toEqual(runRow('s', 't.1'));
    expect((await again.transcript.page('s')).rows).toEqual([transcriptRow('s', 2)]);
    expect(await again.artifacts.read('a', { offset: 0, length: 9 }, 1)).toEqual(new Uint8Array([1, 2, 3]));
    expect((await again.state.get(stateScope(), 'k'))?.value).toEqual({ v: 1 });
    await again.close();
  });

  it('of the only process takes up at once what an earlier one held; of one among several it waits', async () => {
    const path = await databasePath();
    const killed = new Writer(await openForWriting(path), new DatabaseFile(path));
    killed.commit([new SessionUnits('s', undefined, 'killed').next(1)]);
    killed.close();
    const held = { details: { reason: 'SESSION_HELD' }, retryable: true };
    const among = await SqliteStore.open({ path, workerUrl });
    await expect(claim(among, 's', 'new')).rejects.toMatchObject(held);
    await among.close();
    const sole = await SqliteStore.open({ path, workerUrl, sole: true });
    expect((await claim(sole, 's', 'new'))?.epoch).toBe(2);
    await sole.close();
  });
});
