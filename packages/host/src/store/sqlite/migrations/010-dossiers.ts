/** What runs received and might touch, beside the run; the index holds those of which that is still kept, by age. */
export const dossiers = `
ALTER TABLE run ADD COLUMN context TEXT;
ALTER TABLE run ADD COLUMN grant_text TEXT;
CREATE INDEX run_received ON run (created_at) WHERE context IS NOT NULL;
`;
