/** Shorter ones would hide half of the log, and guess nothing. */
const SECRET_CHARS_MIN = 6;
const BEARER = /\b(bearer\s+)[!#-[\]-~]{6,}/gi;
const HIDDEN = '[redacted]';
/** What JSON leaves as it is and a terminal obeys, or shows in another order than it is written. */
const treacherous = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Takes known secrets and bearer tokens out of a finished line: whatever carried them there, they do not leave. */
export class Scrubber {
  readonly #secrets = new Set<string>();
  #known: RegExp | null = null;

  add(secret: string): void {
    if (secret.length < SECRET_CHARS_MIN) return;
    // As it is, as JSON writes it, and as JSON writes a text that quotes it.
    for (const form of [secret, escaped(secret), escaped(escaped(secret))]) this.#secrets.add(form);
    const longestFirst = [...this.#secrets].sort((a, b) => b.length - a.length);
    this.#known = new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  }

  /** One line of text, or of JSON, whose strings may hold anything. */
  clean(line: string): string {
    const known = this.#known === null ? line : line.replace(this.#known, HIDDEN);
    return known
      .replace(BEARER, `$1${HIDDEN}`)
      .replace(treacherous, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }
}
