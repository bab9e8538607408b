/** What the fake models were told to do: the directives of a prompt. They are described in model-server.ts. */

export interface Directive {
  readonly name: string;
  /** Only this model obeys it. */
  readonly model: string | null;
  readonly value: string;
}

const OPEN = /\[\[\s*([a-z-]+)(?:@([\w./:-]+))?\s*(:|\]\])/g;

/** A text as its directives and what is left without them. */
export function readDirectives(text: string): { directives: Directive[]; rest: string } {
  const directives: Directive[] = [];
  let rest = '';
  let at = 0;
  const open = new RegExp(OPEN);
  for (let found = open.exec(text); found !== null; found = open.exec(text)) {
    rest += text.slice(at, found.index);
    const start = found.index + found[0].length;
    const end = found[3] === ':' ? endOf(text, start) : start - 2;
    directives.push({
      name: found[1] ?? '',
      model: found[2] ?? null,
      value: found[3] === ':' ? text.slice(start, end).trim() : '',
    });
    at = end + 2;
    open.lastIndex = at;
  }
  return { directives, rest: (rest + text.slice(at)).trim() };
}

/** The first `]]` outside of braces: JSON may hold some of its own. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (depth <= 0 && text.startsWith(']]', at)) return at;
  }
  const plain = text.indexOf(']]', start);
  return plain === -1 ? text.length : plain;
}

/** The steps of a script: what is done at the first call, after the first results, and so on. */
export function stepsOf(directives: readonly Directive[]): Directive[][] {
  const steps: Directive[][] = [[]];
  for (const directive of directives) {
    if (directive.name === 'then') steps.push([]);
    else steps.at(-1)?.push(directive);
  }
  return steps;
}
