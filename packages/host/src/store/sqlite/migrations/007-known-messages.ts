/** How clients call their messages, and which messages take others back; few do, and the index holds only those. */
export const knownMessages = `
ALTER TABLE transcript ADD COLUMN client_id TEXT;
ALTER TABLE transcript ADD COLUMN supersedes INTEGER;
CREATE INDEX transcript_superseding ON transcript (session, seq, supersedes) WHERE supersedes IS NOT NULL;
`;
