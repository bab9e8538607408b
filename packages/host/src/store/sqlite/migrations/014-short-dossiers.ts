/**
 * What many runs were told alike is named by a number: its hash was as long as a thirtieth of the row. From here on the
 * lines of segments leave out more, which older hosts would misread: the number of the schema keeps them away.
 */
export const shortDossiers = `
ALTER TABLE dossier RENAME TO long_dossier;
ALTER TABLE dossier_terms RENAME TO long_terms;

CREATE TABLE dossier_terms (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL) STRICT;
INSERT INTO dossier_terms (id, text) SELECT id, text FROM long_terms ORDER BY rowid;

CREATE TABLE dossier (
  run_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  terms INTEGER,
  context TEXT NOT NULL,
  grant_text TEXT NOT NULL
) STRICT;
INSERT INTO dossier (run_id, created_at, terms, context, grant_text)
  SELECT run_id, created_at, (SELECT key FROM dossier_terms WHERE id = long_dossier.terms), context, grant_text
  FROM long_dossier ORDER BY long_dossier.rowid;

DROP TABLE long_dossier;
DROP TABLE long_terms;
`;
