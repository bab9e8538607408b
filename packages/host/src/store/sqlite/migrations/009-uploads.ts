/** Who uploaded a file; null for what agents and events brought. One without a session is no message's yet. */
export const uploads = `
ALTER TABLE artifact ADD COLUMN user_id TEXT;
CREATE INDEX artifact_upload ON artifact (workspace_id, user_id) WHERE session_id IS NULL AND user_id IS NOT NULL;
`;
