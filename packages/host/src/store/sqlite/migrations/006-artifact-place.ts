/** Which bot and thread of its conversation an artifact belongs to; null for those that were made before. */
export const artifactPlace = `
ALTER TABLE artifact ADD COLUMN bot_id TEXT;
ALTER TABLE artifact ADD COLUMN thread_id TEXT;
`;
