/** What runs received and might touch. */
export const dossiers = `
CREATE TABLE dossier (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  context TEXT NOT NULL,
  grant_text TEXT NOT NULL
) STRICT;
CREATE INDEX dossier_session ON dossier (session_id);
`;
