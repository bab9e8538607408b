/**
 * Commits of a busy host, each as it came, until their rows are written into the tables above; see `journal.ts`. Empty
 * but in a crowd, and after a host that was killed in one.
 */
export const journal = `
CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  units BLOB NOT NULL
) STRICT;
`;
