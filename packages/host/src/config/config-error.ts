import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import { ApiError } from '@rostra/protocol/wire/api-error';

/** Where something stands in a file, both counted from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One mistake in a configuration file, as a person reads it. */
export interface Mistake {
  /** Null when it is the whole file. */
  readonly place: Place | null;
  readonly sentence: string;
}

/** What is wrong with one value. */
export interface ValueFault {
  readonly path: ConfigPath;
  readonly sentence: string;
}

/** `runners[0].env.TOKEN`; a key that is no plain word stands in quotes. */
export function pathText(path: ConfigPath): string {
  const parts = path.map((part, index) => {
    if (typeof part === 'number') return `[${part}]`;
    const name = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
    return index === 0 ? name : `.${name}`;
  });
  return parts.join('');
}

/** A refusal that names every mistake of a file, in the order in which they stand there. */
export function configError(file: string, mistakes: readonly Mistake[]): ApiError {
  const sorted = mistakes.toSorted(
    ({ place: a }, { place: b }) => (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0),
  );
  const lines = sorted.map(({ place, sentence }) => {
    const where = place === null ? file : `${file}:${place.line}:${place.column}`;
    return `${where}: ${sentence}`;
  });
  return new ApiError('invalid_argument', lines.join('\n'), {
    details: {
      hint: 'Correct the file; docs/configuration.md lists every key, and `rostra config check` checks it.',
      mistakes: sorted.map(({ place, sentence }) => ({ line: place?.line ?? 0, column: place?.column ?? 0, sentence })),
    },
  });
}
