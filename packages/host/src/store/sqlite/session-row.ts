/** Sessions with what was saved of their contexts: `context` is null, and `context_seq` 0, where nothing was. */
export const selectSession = `
  SELECT session.*, ifnull(context_seq, 0) AS context_seq, context_hash, context
  FROM session LEFT JOIN session_context ON session_context.session = session.key`;
