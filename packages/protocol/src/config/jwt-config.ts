import { z } from 'zod';
import { limits } from '../wire/limits.ts';
import { KeyScope } from './entry-config.ts';

const text = z.string().min(1).max(4096);

/** How tokens are signed. None that one secret both makes and proves, and never nothing at all. */
export const TokenAlgorithm = z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']);
export type TokenAlgorithm = z.infer<typeof TokenAlgorithm>;

const claim = z.string().min(1).max(128);
const scopes = z.array(KeyScope).max(KeyScope.options.length);

/** Users of another system, who show its tokens (JWT) in place of a key. */
export const JwtConfig = z.strictObject({
  issuer: text.describe('Who makes the tokens: what their `iss` must be.'),
  audience: text.describe('Whom they are for: what their `aud` must name.'),
  jwks_url: z
    .url()
    .optional()
    .describe('Where the keys are that prove them: https, or this machine. This or `jwks_file`.'),
  jwks_file: text.optional().describe('A file with these keys (JWKS), from the folder of this file unless absolute.'),
  algorithms: z
    .array(TokenAlgorithm)
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('How they may be signed.'),
  user_claim: claim.default('sub').describe('The claim that says who it is; the user is `jwt:` and its value.'),
  scopes_claim: claim.default('scope').describe('The claim that says what they may: a list, or words between blanks.'),
  scopes: z
    .record(z.string().min(1).max(256), scopes)
    .default({
      'rostra:runs': ['runs'],
      'rostra:events': ['events'],
      'rostra:interactions': ['interactions'],
      'rostra:admin': ['admin'],
    })
    .describe('What each word of that claim stands for; others stand for nothing.'),
  everyone: scopes.default([]).describe('What everybody with a valid token may, whatever it says.'),
  streams: z
    .number()
    .int()
    .min(1)
    .max(limits.sse_streams)
    .default(limits.key_streams)
    .describe('Streams of a user at a time.'),
  runs_per_minute: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(limits.key_runs_minute)
    .describe('Runs of a user a minute.'),
});
export type JwtConfig = z.infer<typeof JwtConfig>;
