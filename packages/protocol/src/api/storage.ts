import { z } from 'zod';
import { limits } from '../wire/limits.ts';
import { method } from './api-method.ts';
import { ContentPiece, PieceBase64, UploadState, uploadPiece } from './content.ts';

const area = z.enum(['plugin', 'workspace', 'binding']);
const key = z.string().min(1).max(limits.storage_key_chars);
const piece = { offset: z.number().int().nonnegative().default(0) };
const done = z.object({ success: z.boolean() });

/**
 * Bytes under a key of one area (RP-7.24). What is larger than one piece is written first and then set by its upload. To
 * delete what is not there succeeds.
 */
export const StorageApi = {
  'storage.get': method(
    { area, key, ...piece, length: z.number().int().min(1).max(limits.piece_bytes).default(limits.piece_bytes) },
    ContentPiece.extend({ size_bytes: z.number().int().nonnegative(), has_more: z.boolean() }),
  ),
  'storage.set': method(
    { area, key, value_base64: PieceBase64.optional(), upload_id: z.string().min(1).max(128).optional() },
    done,
  ),
  'storage.write': method(uploadPiece, UploadState),
  'storage.delete': method({ area, key }, done),
  'storage.list': method(
    {
      area,
      prefix: z.string().max(limits.storage_key_chars).nullable().default(null),
      /** The last key of the page before. */
      after: z.string().max(limits.storage_key_chars).nullable().default(null),
    },
    z.object({ keys: z.array(z.string()), has_more: z.boolean() }),
  ),
};
