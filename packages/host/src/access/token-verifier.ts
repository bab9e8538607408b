import type { KeyScope } from '@rostra/protocol/config/entry-config';
import type { JwtConfig } from '@rostra/protocol/config/jwt-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../session/clock.ts';
import { type Holder, holderOf } from './holder.ts';
import type { KeySetSource } from './key-set-source.ts';

export interface TokenVerifierOptions {
  readonly config: JwtConfig;
  readonly keys: KeySetSource;
  readonly workspace_id: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Learns why keys could not be read: whoever shows a token is not told. */
  readonly failed: (error: unknown) => void;
}

const FORM = /^[\w-]{1,4096}\.[\w-]{1,8192}\.[\w-]{0,2048}$/;
const SUBJECT = /^[!-~]{1,120}$/;

/** What says that the token is wrong, in contrast to us not being able to tell. */
const wrong: ReadonlySet<string> = new Set([
  'ERR_JWT_EXPIRED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_INVALID',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
]);

function isWrong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && wrong.has(error.code);
}

/** Whether it can be a token at all: three parts, as no key has them. */
export function isToken(text: string): boolean {
  return text.length <= limits.token_bytes && FORM.test(text);
}

/** Tokens of another system's users (RFC 7519), proved by the keys that the owner configured, and by nothing in them. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  #keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
  }

  /** Whose token this is, or null when it proves nothing. */
  async find(token: string): Promise<Holder | null> {
    const { config, keys, clock, failed } = this.#options;
    const { jwtVerify } = await import('jose');
    try {
      this.#keys ??= keys.open();
      const { payload } = await jwtVerify(token, await this.#keys, {
        issuer: config.issuer,
        audience: config.audience,
        algorithms: [...config.algorithms],
        clockTolerance: limits.token_skew / 1000,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', config.user_claim],
      });
      return this.#holder(payload);
    } catch (error) {
      if (isWrong(error)) return null;
      // What could not be opened is tried again; keys that were read once keep themselves fresh.
      this.#keys?.catch(() => {
        this.#keys = null;
      });
      failed(error);
      throw new ApiError('runtime_error', 'tokens cannot be checked at the moment', {
        retryable: true,
        details: { hint: 'The keys of auth.jwt could not be read; the host’s log has the reason.' },
      });
    }
  }

  #holder(payload: JWTPayload): Holder | null {
    const { config, workspace_id } = this.#options;
    const subject = payload[config.user_claim];
    if (typeof subject !== 'string' || !SUBJECT.test(subject)) return null;
    const credential = {
      id: `jwt:${subject}`,
      scopes: scopesOf(config, payload[config.scopes_claim]),
      streams: config.streams,
      runs_minute: config.runs_per_minute,
    };
    // The library has checked that there is an `exp`, in seconds.
    const expires_at = (payload.exp ?? 0) * 1000 + limits.token_skew;
    return holderOf(workspace_id, `jwt:${subject}`, credential, expires_at);
  }
}

/** What everybody may and what the words of the claim stand for: a list, or words between blanks. */
function scopesOf({ everyone, scopes }: JwtConfig, claim: unknown): KeyScope[] {
  const words: unknown = typeof claim === 'string' ? claim.split(' ') : claim;
  const granted = (Array.isArray(words) ? words : []).flatMap((word: unknown) =>
    typeof word === 'string' && Object.hasOwn(scopes, word) ? (scopes[word] ?? []) : [],
  );
  return [...new Set([...everyone, ...granted])];
}
