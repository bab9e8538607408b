/**
 * How clients call their messages, and which messages take others back; few do, and the index holds only those. What
 * was written before knows neither, nor what tools gave: `early_seq` is where a log stood then.
 */
export const knownMessages = `
ALTER TABLE transcript ADD COLUMN client_id TEXT;
ALTER TABLE transcript ADD COLUMN supersedes INTEGER;
CREATE INDEX transcript_superseding ON transcript (session, seq, supersedes) WHERE supersedes IS NOT NULL;
ALTER TABLE session ADD COLUMN early_seq INTEGER NOT NULL DEFAULT 0;
UPDATE session SET early_seq = last_seq;
`;
