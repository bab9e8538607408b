import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { type Mistake, type Place, pathText, type ValueFault } from './config-error.ts';

/** A value with where it, and the key before it, stand in the file. */
export interface YamlTree {
  readonly value: Json;
  /** What is wrong with the YAML itself; then there is no value. */
  readonly torn: readonly Mistake[];
  readonly faults: readonly ValueFault[];
  /** Where the key of this path stands, or the entry of a list; for what is not there, where its section begins. */
  placeOf(path: ConfigPath): Place;
}

/** Gives each text its final value, or says what is wrong with it. */
export type ReadText = (text: string, path: ConfigPath, plain: boolean) => { value: Json } | { mistake: string };

/** Our own words: the parser's own may quote what stands there, and that may be a secret. */
const sentences: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'This text in double quotes has an escape that YAML does not know.',
  BAD_INDENT: 'This line is not indented like its neighbours.',
  BAD_SCALAR_START: 'A text that begins with this character needs quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'This line is not indented like its neighbours, or a text needs quotes.',
  DUPLICATE_KEY: 'This key is there twice.',
  MISSING_CHAR: 'A quote, bracket or colon is missing here.',
  MULTILINE_IMPLICIT_KEY: 'A colon is missing here, or a line is not indented like its neighbours.',
  MULTIPLE_DOCS: 'There is more than one document ("---").',
  TAB_AS_INDENT: 'Tabs cannot indent; use blanks.',
  TAG_RESOLVE_FAILED: 'This tag means nothing here.',
  UNEXPECTED_TOKEN: 'This does not belong here; a quote or a bracket may be missing before it.',
};

/** Reads YAML into plain values. Every mistake is found, not only the first. */
export function readYaml(text: string, readText: ReadText): YamlTree {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, strict: true });
  const placeAt = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  const torn = [...document.errors, ...document.warnings].map(({ code, pos: [offset] }) => ({
    place: placeAt(offset),
    sentence: sentences[code] ?? `This is not valid YAML (${code}).`,
  }));
  const reader = new TreeReader(document, readText, placeAt);
  const value = torn.length > 0 ? null : reader.read(document.contents, []);
  return { value, torn, faults: reader.faults, placeOf: (path) => reader.placeOf(path) };
}

class TreeReader {
  readonly faults: ValueFault[] = [];
  readonly #places = new Map<string, Place>();
  readonly #document: Document;
  readonly #readText: ReadText;
  readonly #placeAt: (offset: number) => Place;
  #nodes = 0;

  constructor(document: Document, readText: ReadText, placeAt: (offset: number) => Place) {
    this.#document = document;
    this.#readText = readText;
    this.#placeAt = placeAt;
  }

  placeOf(path: ConfigPath): Place {
    for (let length = path.length; length >= 0; length -= 1) {
      const place = this.#places.get(keyOf(path.slice(0, length)));
      if (place !== undefined) return place;
    }
    return { line: 1, column: 1 };
  }

  read(node: unknown, path: ConfigPath): Json {
    this.#nodes += 1;
    // Aliases multiply: a few lines can stand for billions of values.
    if (this.#nodes > limits.config_nodes) {
      if (this.#nodes === limits.config_nodes + 1)
        this.#complain(path, `The file has more than ${limits.config_nodes} values.`);
      return null;
    }
    if (isAlias(node)) {
      const meant = node.resolve(this.#document);
      if (meant === undefined) this.#complain(path, `${pathText(path)} is an alias of nothing.`);
      return this.read(meant, path);
    }
    if (isMap(node)) return Object.fromEntries(node.items.flatMap((pair) => this.#entry(pair, path)));
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        this.#mark([...path, index], item);
        return this.read(item, [...path, index]);
      });
    }
    if (!isScalar(node)) return null;
    if (typeof node.value === 'string') return this.#text(node.value, path, node.type === 'PLAIN');
    if (typeof node.value === 'number' && Number.isFinite(node.value)) return node.value;
    if (typeof node.value === 'boolean' || node.value === null) return node.value;
    this.#complain(path, `${pathText(path)} is a kind of value that the configuration does not have.`);
    return null;
  }

  #entry({ key, value }: Pair, path: ConfigPath): [string, Json][] {
    const name = isScalar(key) ? String(key.value) : null;
    if (name === null) {
      this.#complain(path, `A key of ${path.length === 0 ? 'the file' : pathText(path)} is not a plain word.`);
      return [];
    }
    const at = [...path, name];
    this.#mark(at, key);
    return [[name, this.read(value, at)]];
  }

  #text(text: string, path: ConfigPath, plain: boolean): Json {
    const read = this.#readText(text, path, plain);
    if ('value' in read) return read.value;
    this.#complain(path, `${pathText(path)} ${read.mistake}.`);
    return text;
  }

  #mark(path: ConfigPath, node: unknown): void {
    const [offset] = (isNodeWithRange(node) ? node.range : null) ?? [];
    if (offset !== undefined) this.#places.set(keyOf(path), this.#placeAt(offset));
  }

  #complain(path: ConfigPath, sentence: string): void {
    this.faults.push({ path, sentence });
  }
}

function isNodeWithRange(node: unknown): node is Node {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
}

function keyOf(path: ConfigPath): string {
  return JSON.stringify(path);
}
