import { createHash } from 'node:crypto';

const fitting = /^[A-Za-z_][\w-]{0,63}$/;
const LONGEST = 64;

/** Names of tools in one call, as every provider takes them; and back. */
export class ToolNames {
  readonly #fitted = new Map<string, string>();
  readonly #original = new Map<string, string>();

  fit(name: string): string {
    const known = this.#fitted.get(name);
    if (known !== undefined) return known;
    const fitted = fitting.test(name) ? name : altered(name);
    this.#fitted.set(name, fitted);
    this.#original.set(fitted, name);
    return fitted;
  }

  /** What a model calls it may be no tool at all: then it is told as it was said. */
  original(fitted: string): string {
    return this.#original.get(fitted) ?? fitted;
  }
}

/** The end comes from the whole name, so that two names which look alike stay two. */
function altered(name: string): string {
  const end = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const start = name.replace(/[^\w-]/g, '_').replace(/^[^A-Za-z_]/, '_');
  return `${start.slice(0, LONGEST - end.length - 1)}_${end}`;
}
