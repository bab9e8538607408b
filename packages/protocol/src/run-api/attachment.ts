import { z } from 'zod';

/** An uploaded file, and a url of this host by which its owner reads it and names it in a message (RA-9.11). */
export const Attachment = z.object({
  id: z.string(),
  url: z.string().describe('Signed for the caller; good until `expiresAt`.'),
  mimeType: z.string().describe('What the bytes are, not what was said of them.'),
  size: z.number().int().nonnegative(),
  filename: z.string(),
  expiresAt: z.string().describe('Until when `url` is good, ISO-8601.'),
});
export type Attachment = z.infer<typeof Attachment>;

/** What can be asked by a signed url. */
export type SignedMethod = 'GET' | 'HEAD';

/** The parameters of a signed url; a url with any other, or with one of them twice, is not one of ours. */
export const SignedParameter = z.enum(['expires', 'key', 'for', 'signature']);
export type SignedParameter = z.infer<typeof SignedParameter>;
