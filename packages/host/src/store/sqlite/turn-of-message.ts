/**
 * From the turn, if any, that the message `?2` made in the session `?1`. Names are in order only within some thousand
 * records (see the index `turn_message`); one place of them after another is looked at, the newest first: a repeat most
 * often follows soon.
 */
export const fromTurnOfMessage = `
  (WITH RECURSIVE place (at) AS (
    SELECT max(first_seq >> 12) FROM turn WHERE session = ?1
    UNION ALL
    SELECT (SELECT max(first_seq >> 12) FROM turn WHERE session = ?1 AND first_seq >> 12 < at)
    FROM place WHERE at IS NOT NULL
  )
  SELECT turn.* FROM place CROSS JOIN turn
    ON turn.session = ?1 AND turn.first_seq >> 12 = place.at AND turn.message_id = ?2
  LIMIT 1) AS turn`;
