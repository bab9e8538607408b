import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';

/** Who may read an artifact: runs of its conversation, all runs of its agent, or its own run while that lives. */
export const ArtifactVisibility = z.enum(['conversation', 'binding', 'run']);
export type ArtifactVisibility = z.infer<typeof ArtifactVisibility>;

/**
 * What a runner says by `artifact.created` (RP-6.7). The bytes come with it, or were written before under an upload's
 * name; what it says about them must be true.
 */
export const CreatedArtifact = z.object({
  name: z.string().max(4096),
  mime_type: z.string().max(256).default('application/octet-stream'),
  size_bytes: z.number().int().nonnegative().optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .optional(),
  /** Seconds since 1970, like every instant on the wire; kept for as long as the host keeps artifacts, unless told. */
  expires_at: z.number().int().nullish(),
  visibility: ArtifactVisibility.default('conversation'),
  metadata: JsonObject.default({}),
  content_base64: z
    .string()
    .max(Math.ceil(limits.artifact_inline_bytes / 3) * 4)
    .optional(),
  upload_id: z.string().min(1).max(128).optional(),
});
export type CreatedArtifact = z.infer<typeof CreatedArtifact>;
