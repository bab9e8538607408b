/**
 * What V8 made of a program's bundles is kept beside them, because compiling them is a third of a start. The first start
 * of a build writes it down; a file that is missing, torn, of another build or of another Node only means that it is
 * compiled anew. Every entry of the build begins here (see tsdown.config.ts), before it asks for any other bundle.
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';

/** By then a start is over, and what it called is compiled. */
const SETTLE_MS = 500;
const FOLDER = 'compiled';
const HEAD_BYTES = 8;

/** What Node has and its types of this version lack. */
interface Loader {
  prototype: { _compile(this: LoadedModule, content: string, file: string, format?: string): unknown };
  wrap(content: string): string;
  enableCompileCache?(folder: string): unknown;
  flushCompileCache?(): void;
}
interface LoadedModule {
  exports: unknown;
}
/** Of a bundle: where its code lies, and of which source it is. */
type Place = readonly [offset: number, length: number, source: number];
type Code = (exports: unknown, require: NodeJS.Require, module: LoadedModule, file: string, folder: string) => unknown;

const found: unknown = Module;
const loader = found as Loader;

/** From here on the bundles beside `entry` are compiled from what is kept. @public The build calls it. */
export function keepCode(entry: string): void {
  const folder = dirname(entry);
  if (loader.enableCompileCache !== undefined) {
    loader.enableCompileCache(join(folder, FOLDER));
    setTimeout(() => loader.flushCompileCache?.(), SETTLE_MS).unref();
    return;
  }
  const name = `${basename(entry, '.js')}-${process.version}-${process.arch}-${flagsKey()}.bin`;
  const kept = new KeptCode(join(folder, FOLDER, name));
  const compile = loader.prototype._compile;
  loader.prototype._compile = function (content, file, format) {
    if (dirname(file) !== folder) return compile.call(this, content, file, format);
    const run = kept.script(content, file).runInThisContext() as Code;
    return run.call(this.exports, this.exports, createRequire(file), this, file, folder);
  };
  setTimeout(() => kept.settle(), SETTLE_MS).unref();
}

/** V8 refuses code that was made under other flags, so that each set of them has a file of its own. */
function flagsKey(): string {
  return crc32(JSON.stringify([process.execArgv, process.env.NODE_OPTIONS ?? ''])).toString(16);
}

class KeptCode {
  readonly #file: string;
  readonly #scripts = new Map<string, { script: Script; source: number }>();
  #places: Readonly<Record<string, Place>> = {};
  #code: Buffer = Buffer.alloc(0);
  #isStale = false;
  #isSettled = false;

  constructor(file: string) {
    this.#file = file;
    try {
      this.#read(readFileSync(file));
    } catch {
      // Not there yet, or not ours: everything is compiled, and then written down.
    }
  }

  script(content: string, filename: string): Script {
    const source = crc32(content);
    const [offset, length, of] = this.#places[basename(filename)] ?? [0, 0, -1];
    const cachedData = of === source ? this.#code.subarray(offset, offset + length) : undefined;
    const script = new Script(loader.wrap(content), { filename, ...(cachedData && { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected === true) this.#isStale = true;
    if (!this.#isSettled) this.#scripts.set(basename(filename), { script, source });
    return script;
  }

  /** Writes down what was missing, and holds nothing any longer. */
  settle(): void {
    if (this.#isStale) this.#write();
    this.#isSettled = true;
    this.#scripts.clear();
    this.#places = {};
    this.#code = Buffer.alloc(0);
  }

  #write(): void {
    const places: Record<string, Place> = {};
    const parts: Buffer[] = [];
    let offset = 0;
    const add = (name: string, part: Buffer, source: number) => {
      places[name] = [offset, part.length, source];
      parts.push(part);
      offset += part.length;
    };
    for (const [name, { script, source }] of this.#scripts) add(name, script.createCachedData(), source);
    // Another command of the same program loads other bundles.
    for (const [name, [at, length, source]] of Object.entries(this.#places)) {
      if (!this.#scripts.has(name)) add(name, this.#code.subarray(at, at + length), source);
    }
    const index = Buffer.from(JSON.stringify(places));
    const body = Buffer.concat([index, ...parts]);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(crc32(body), 0);
    head.writeUInt32LE(index.length, 4);
    const draft = `${this.#file}.${process.pid}.${threadId}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      writeFileSync(draft, Buffer.concat([head, body]));
      renameSync(draft, this.#file);
    } catch {
      // A folder that may not be written to, as in a container: the next start compiles again.
    }
  }

  #read(bytes: Buffer): void {
    const body = bytes.subarray(HEAD_BYTES);
    if (crc32(body) !== bytes.readUInt32LE(0)) return;
    const length = bytes.readUInt32LE(4);
    this.#places = JSON.parse(body.toString('utf8', 0, length)) as Readonly<Record<string, Place>>;
    this.#code = body.subarray(length);
  }
}
