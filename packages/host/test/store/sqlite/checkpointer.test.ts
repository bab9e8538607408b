import { statSync } from 'node:fs';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { Checkpointer, type CheckpointOptions } from '../../../src/store/sqlite/checkpointer.ts';
import { openForReading } from '../../../src/store/sqlite/database-file.ts';
import { SessionUnits } from '../session-units.ts';
import { databasePath, openWriter } from './sqlite-folder.ts';

/** A timer that goes off when the test says so. */
function manualTimer() {
  const state = { wake: null as (() => void) | null, refreshed: 0 };
  const later = (_: number, wake: () => void) => {
    state.wake = wake;
    return {
      refresh: () => {
        state.refreshed += 1;
      },
      cancel: () => {
        state.wake = null;
      },
    };
  };
  return { state, later };
}

async function opened(options: CheckpointOptions = {}) {
  const { db, file, writer, path } = await openWriter(await databasePath());
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const { state, later } = manualTimer();
  return { db, file, writer, path, timer: state, checkpointer: new Checkpointer(db, file, later, options) };
}

describe('checkpoint', () => {
  it('happens after an idle moment, once', async () => {
    const { writer, path, timer, checkpointer } = await opened();
    const units = new SessionUnits('s');
    const size = statSync(path).size;
    for (let i = 0; i < 30; i += 1) {
      writer.commit([units.next(50, { flush: false })]);
      checkpointer.committed();
    }
    expect(statSync(path).size).toBe(size);
    expect(timer.refreshed).toBe(29);
    timer.wake?.();
    expect(statSync(path).size).toBeGreaterThan(size);
    expect(timer.wake).toBeNull();
    writer.close();
  });

  it('happens under load when the log has grown enough, and the log starts over', async () => {
    const { db, file, writer, path, checkpointer } = await opened({ bytes: 1_000_000 });
    expect(db.prepare('PRAGMA journal_size_limit').get()).toEqual({ journal_size_limit: limits.checkpoint_kept });
    db.exec('PRAGMA journal_size_limit = 4000000');
    const units = new SessionUnits('s');
    let largest = 0;
    for (let i = 0; i < 1_000; i += 1) {
      writer.commit([units.next(200, { flush: false })]);
      checkpointer.committed();
      largest = Math.max(largest, file.walBytes());
    }
    expect(statSync(path).size).toBeGreaterThan(10_000_000);
    expect(largest).toBeLessThan(6_000_000);
    writer.close();
  });

  it('is put off, not failed, by a reader in the middle of its reading', async () => {
    const { file, writer, path, timer, checkpointer } = await opened();
    const units = new SessionUnits('s');
    writer.commit([units.next(50)]);
    const reader = await openForReading(path);
    reader.exec('BEGIN; SELECT * FROM session');
    writer.commit([units.next(50)]);
    checkpointer.committed();
    timer.wake?.();
    reader.exec('COMMIT');
    reader.close();
    checkpointer.finish();
    expect(file.walBytes()).toBe(0);
    expect(writer.claim('s', 'host')?.last_seq).toBe(100);
    writer.close();
  });
});
