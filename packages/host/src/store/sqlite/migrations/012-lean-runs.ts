/**
 * What a run costs beside its log. The runs of a turn are found by their names, which begin with it, and nobody asks for
 * open runs in any order. What the runs of one agent are told alike is kept once.
 */
export const leanRuns = `
DROP INDEX run_turn;
DROP INDEX run_open;
ALTER TABLE run ADD COLUMN terms TEXT;
CREATE TABLE dossier_terms (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
`;
