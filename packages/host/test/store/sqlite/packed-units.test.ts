import { expect, test } from 'vitest';
import type { Unit } from '../../../src/store/port.ts';
import { packUnits, unpackUnits } from '../../../src/store/sqlite/packed-units.ts';
import { interactionRow } from '../ports/interaction.suite.ts';
import { runRow, SessionUnits, transcriptRow } from '../session-units.ts';

/** Every field has a value of its own, so that none can stand in another's place. */
function distinct<T extends object>(row: T, mark: string): T {
  const fields = Object.keys(row).map((field) => [field, field === 'session_id' ? 's' : `${mark} ${field}`]);
  return Object.assign(row, Object.fromEntries(fields));
}

function fullUnit(): Unit {
  const units = new SessionUnits('s', undefined, 'host');
  const event = {
    session_id: 's',
    seq: 1,
    event_id: 'e',
    event_type: 'x',
    turn_id: null,
    run_id: null,
    thread_id: null,
    bot_id: null,
    actor_id: null,
    created_at: 1,
  };
  return units.next(2, {
    context: '{"state":"OPEN"}',
    turns: [distinct(units.turn('a'), 'first turn'), distinct(units.turn('b'), 'second turn')],
    runs: [distinct(runRow('s', 'a.1'), 'run')],
    transcript: [distinct(transcriptRow('s', 1), 'message'), transcriptRow('s', 2, { metadata: { deep: [1] } })],
    events: [distinct(event, 'event')],
    interactions: [{ opened: interactionRow('q') }],
    message_ids: ['m1', 'm2'],
    outbox_add: [1, 2],
    outbox_remove: [3],
  });
}

test('units come out of the list as they went in', () => {
  const bare = new SessionUnits('bare', { epoch: 3, last_seq: 7 });
  const units = [fullUnit(), bare.next(), bare.next(0), fullUnit()];
  expect(unpackUnits(structuredClone(packUnits(units)))).toEqual(units);
  expect(unpackUnits(packUnits([]))).toEqual([]);
});
