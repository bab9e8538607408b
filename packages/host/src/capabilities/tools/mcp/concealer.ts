const CONCEALED = '***';
/** Shorter values are words of every text. */
const SECRET_CHARS_MIN = 8;

/** Takes what a server was given in confidence out of what it says about its troubles. */
export class Concealer {
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter(({ length }) => length >= SECRET_CHARS_MIN);
  }

  conceal(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, CONCEALED), text);
  }
}
