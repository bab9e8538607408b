/** The journal is a file beside the database; how far it is in the tables stands in `meta`, see `journal-mark.ts`. */
export const journalFile = `
DROP TABLE journal;
`;
