import { z } from 'zod';
import { limits } from '../wire/limits.ts';

/** Four characters of base64 carry three bytes. */
export const PieceBase64 = z.string().max(Math.ceil(limits.piece_bytes / 3) * 4);
export type PieceBase64 = z.infer<typeof PieceBase64>;
const offset = z.number().int().nonnegative();

/** Bytes of something larger, and where they belong. */
export const ContentPiece = z.object({ offset, content_base64: PieceBase64 });
export type ContentPiece = z.infer<typeof ContentPiece>;

/** Bytes on their way to the host; the pieces of one upload follow each other without a gap. */
export const uploadPiece = { upload_id: z.string().min(1).max(128), offset, content_base64: PieceBase64 };

export const UploadState = z.object({ upload_id: z.string(), size_bytes: z.number().int().nonnegative() });
export type UploadState = z.infer<typeof UploadState>;
