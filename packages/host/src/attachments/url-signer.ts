import { createHmac, timingSafeEqual } from 'node:crypto';
import { type SignedMethod, SignedParameter } from '@rostra/protocol/run-api/attachment';

/** What a signature stands for: this user may ask this of this file, at this address, until then. */
export interface Signed {
  readonly origin: string;
  readonly object: string;
  readonly method: SignedMethod;
  readonly expires_at: number;
  readonly workspace_id: string;
  /** Where the file must lie; null: wherever it lies, since whoever signs has looked. */
  readonly session_id: string | null;
  /** A user under a name that only this host can make: a url tells nobody who somebody is. */
  readonly reader: string;
}

/** What a url says, as far as it can be read; nothing of it is proved. */
export interface SignedText {
  readonly expires_at: number;
  readonly key_id: string;
  readonly reader: string;
  readonly signature: Buffer;
}

const FORM = 1;
const READER_BYTES = 16;
const SIGNATURE_CHARS = 43;

/** Signs urls with a key that is made of the host's own secret: they survive a restart, and no change of the secret. */
export class UrlSigner {
  readonly #key: Buffer;
  readonly #key_id: string;

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('attachment urls').digest();
    this.#key_id = createHmac('sha256', this.#key).update('key id').digest('base64url').slice(0, 8);
  }

  readerOf(workspace_id: string, user_id: string): string {
    const said = JSON.stringify(['reader', FORM, workspace_id, user_id]);
    return createHmac('sha256', this.#key).update(said).digest().subarray(0, READER_BYTES).toString('base64url');
  }

  /** The parameters of the url. */
  sign(signed: Signed): string {
    const values: Record<SignedParameter, string> = {
      expires: String(signed.expires_at),
      key: this.#key_id,
      for: signed.reader,
      signature: this.#mac(signed).toString('base64url'),
    };
    return new URLSearchParams(values).toString();
  }

  /** Takes the same time whatever is wrong. */
  isGood({ signature, key_id }: SignedText, signed: Signed): boolean {
    const mac = this.#mac(signed);
    const isSame = signature.length === mac.length && timingSafeEqual(signature, mac);
    return isSame && key_id === this.#key_id;
  }

  #mac({ origin, object, method, expires_at, workspace_id, session_id, reader }: Signed): Buffer {
    const said = JSON.stringify([
      'url',
      FORM,
      this.#key_id,
      workspace_id,
      session_id,
      reader,
      object,
      method,
      expires_at,
      origin,
    ]);
    return createHmac('sha256', this.#key).update(said).digest();
  }
}

/** Reads the parameters of a url; null when one is missing, twice, unknown, or written otherwise than we write it. */
export function readSigned(search: string): SignedText | null {
  const values = new Map<SignedParameter, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    const known = SignedParameter.safeParse(name);
    if (!known.success || values.has(known.data)) return null;
    values.set(known.data, value);
  }
  const [expires = '', signature = ''] = [values.get('expires'), values.get('signature')];
  const [key_id, reader] = [values.get('key'), values.get('for')];
  if (key_id === undefined || reader === undefined) return null;
  if (!/^[1-9]\d{0,14}$/.test(expires) || signature.length !== SIGNATURE_CHARS) return null;
  const bytes = Buffer.from(signature, 'base64url');
  // Base64 can be written in more than one way, and so can a url: ours is written in one.
  if (bytes.toString('base64url') !== signature) return null;
  return { expires_at: Number(expires), key_id, reader, signature: bytes };
}
