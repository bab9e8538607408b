import { z } from 'zod';
import { ArtifactRef } from '../session/input.ts';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { method, streamed } from './api-method.ts';
import { ContentPiece, UploadState, uploadPiece } from './content.ts';

const artifact_id = z.string().min(1).max(256);

export const ArtifactMetadata = ArtifactRef.extend({
  conversation_id: z.string().nullable().default(null),
  run_id: z.string().nullable().default(null),
  created_at: z.number().int(),
  expires_at: z.number().int().nullable().default(null),
  metadata: JsonObject.default({}),
});
export type ArtifactMetadata = z.infer<typeof ArtifactMetadata>;

/** RP-7.19 to RP-7.22. Instants are milliseconds since 1970. What is written under an `upload_id` becomes an artifact by the result `artifact.created`. */
export const ArtifactsApi = {
  'artifacts.metadata': method({ artifact_id }, ArtifactMetadata),
  'artifacts.read_range': method(
    {
      artifact_id,
      offset: z.number().int().nonnegative().default(0),
      length: z.number().int().min(1).max(limits.piece_bytes).default(limits.piece_bytes_default),
    },
    ContentPiece.extend({
      artifact_id: z.string(),
      mime_type: z.string(),
      size_bytes: z.number().int().nonnegative(),
      has_more: z.boolean(),
    }),
  ),
  'artifacts.open_stream': streamed({ artifact_id }, ContentPiece, ArtifactMetadata),
  'artifacts.write': method(uploadPiece, UploadState),
};
