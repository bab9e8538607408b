import { z } from 'zod';
import { KeyScope } from '../config/entry-config.ts';
import { limits } from '../wire/limits.ts';

const name = z.string().min(1).max(limits.key_name_chars);
/** Whoever it is: letters, digits and what addresses and ids of users are written with. */
const userId = z
  .string()
  .max(limits.user_id_chars)
  .regex(/^[A-Za-z0-9][\w.:@+-]*$/);
const streams = z.number().int().min(1).max(limits.sse_streams);
const runsPerMinute = z.number().int().min(1).max(100_000);

/** What `POST /api/v1/keys` takes. */
export const NewKey = z.strictObject({
  name: name.describe('What it is for, in your words.'),
  scopes: z
    .array(KeyScope)
    .min(1)
    .max(KeyScope.options.length)
    .describe('What it may be used for; never more than the key that makes it.'),
  userId: userId.optional().describe('Who has it. Keys of one user share sessions. Left out: somebody of its own.'),
  streams: streams.default(limits.key_streams).describe('Streams at a time.'),
  runsPerMinute: runsPerMinute.default(limits.key_runs_minute).describe('Runs a minute.'),
  expiresAt: z.iso.datetime({ offset: true }).optional().describe('When it ends. Left out: when it is revoked.'),
});
export type NewKey = z.infer<typeof NewKey>;

/** A key as it may be shown: the key itself is shown once, when it is made. */
export const KeyItem = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  scopes: z.array(KeyScope),
  streams: z.number().int(),
  runsPerMinute: z.number().int(),
  source: z.enum(['file', 'api']).describe('`file`: of the configuration file, and only changed there.'),
  createdAt: z.string().nullable(),
  createdBy: z.string().nullable(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable().describe('To the minute.'),
});
export type KeyItem = z.infer<typeof KeyItem>;

export const MadeKey = KeyItem.extend({ key: z.string().describe('Shown this once.') });
export type MadeKey = z.infer<typeof MadeKey>;

/** Who asks, as the host sees it. */
export const Me = z.object({
  userId: z.string(),
  workspaceId: z.string(),
  scopes: z.array(KeyScope),
  isAdmin: z.boolean(),
});
export type Me = z.infer<typeof Me>;

export const LoginLink = z.object({
  url: z.string().describe('Opened in a browser, it logs that browser in: once, and before it expires.'),
  expiresAt: z.string(),
});
export type LoginLink = z.infer<typeof LoginLink>;
