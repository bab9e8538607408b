import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Scripts and styles of this host only; styles that scripts set on elements are no style sheets. Pictures may also be
 * those that the page itself just read from a disk.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface ConsoleFile {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  gzipped: Buffer | null;
}

/** Smaller ones gain nothing by it. */
const GZIP_FROM = 1024;

/** The built console: few files, all in memory, so that another build does not take them away from an open page. */
export class ConsoleFiles {
  readonly #files: ReadonlyMap<string, ConsoleFile>;

  /** A folder that is not there has no files. */
  constructor(folder: string) {
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    const listed = isThere ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    const names = listed.filter((name) => types[path.extname(name)] !== undefined);
    this.#files = new Map(names.map((name) => [name.split(path.sep).join('/'), read(folder, name)]));
  }

  get names(): Iterable<string> {
    return this.#files.keys();
  }

  /** The answer to a request for `name`; null for what is none of its files. */
  answer(name: string, request: { accepts: string; known: string | undefined }): Response | null {
    const file = this.#files.get(name);
    if (file === undefined) return null;
    const { bytes, headers } = file;
    if (request.known === headers.ETag) return new Response(null, { status: 304, headers });
    if (bytes.length < GZIP_FROM || !/\bgzip\b/.test(request.accepts)) {
      return new Response(new Uint8Array(bytes), { headers });
    }
    file.gzipped ??= gzipSync(bytes);
    return new Response(new Uint8Array(file.gzipped), { headers: { ...headers, 'Content-Encoding': 'gzip' } });
  }
}

function read(folder: string, name: string): ConsoleFile {
  const bytes = readFileSync(path.join(folder, name));
  const isNamedByContent = name.startsWith('assets');
  return {
    bytes,
    gzipped: null,
    headers: {
      'Content-Type': types[path.extname(name)] ?? '',
      'Cache-Control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      Vary: 'Accept-Encoding',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  };
}
