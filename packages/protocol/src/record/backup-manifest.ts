import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The first entry of a backup: all that is in it, and how it must read. */
export const BackupManifest = z.object({
  format: z.literal('rostra-backup'),
  version: z.literal(1),
  created_at: z.string(),
  schema: z.number().int(),
  sessions: z.number().int(),
  records: z.number().int(),
  /** Over the ends of all hash chains, as `rostra replay` prints it. */
  replay: sha256,
  database: z.object({ size_bytes: z.number().int(), sha256 }),
  /** Named by their content. */
  blobs: z.array(z.object({ sha256, size_bytes: z.number().int() })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;
