/** Whose conversation a run belongs to, where it stands in the log, and what it used beside tokens. */
export const runFacts = `
ALTER TABLE run ADD COLUMN bot_id TEXT;
ALTER TABLE run ADD COLUMN thread_id TEXT;
ALTER TABLE run ADD COLUMN first_seq INTEGER;
ALTER TABLE run ADD COLUMN last_seq INTEGER;
ALTER TABLE run ADD COLUMN tool_calls INTEGER;
ALTER TABLE run ADD COLUMN handovers INTEGER;
ALTER TABLE run ADD COLUMN waited INTEGER;
`;
