import type { Unit } from '../port.ts';

/**
 * Whether nothing that this unit writes can be there already, its turns and runs apart, once its log is known to stand
 * where it begins: all else is named by its own records. Units that ask people something, or that hold messages which
 * made no turn, are few and not looked into.
 */
export function isPlain(unit: Unit): boolean {
  if (unit.interactions.length > 0 || unit.message_ids.length > 0) return false;
  if (unit.created !== null && unit.expected_seq !== 0) return false;
  return (
    hasItsRecords(unit) &&
    areOwn(unit, unit.outbox_add) &&
    areOwn(
      unit,
      unit.transcript.map(({ seq }) => seq),
    ) &&
    areOwn(
      unit,
      unit.events.map(({ seq }) => seq),
    )
  );
}

function hasItsRecords({ segments, epoch, expected_seq, last_seq }: Unit): boolean {
  let seq = expected_seq;
  for (const segment of segments) {
    if (segment.first_seq !== seq + 1 || segment.last_seq < segment.first_seq || segment.epoch !== epoch) return false;
    seq = segment.last_seq;
  }
  return seq === last_seq;
}

/** Records of this unit, each once. */
function areOwn({ expected_seq, last_seq }: Unit, seqs: readonly number[]): boolean {
  let before = expected_seq;
  for (const seq of seqs) {
    if (seq <= before) return false;
    before = seq;
  }
  return before <= last_seq;
}
