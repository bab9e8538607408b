import type { KnowledgeEntry } from '@rostra/runner-sdk';
import { material } from './material.ts';

const MARK = /\[(\d{1,2})\]/g;

export const citationRule =
  'Where you use a passage of <knowledge>, name its number in brackets behind the statement, like [1]. Do not list the ' +
  'sources: that is done for you. Say so if the passages do not answer the question.';

/** Passages that were found, numbered from 1 on; the answer names them by their numbers. */
export class Citations {
  readonly #entries: readonly KnowledgeEntry[];

  constructor(entries: readonly KnowledgeEntry[]) {
    this.#entries = entries;
  }

  /** For the model; null when nothing was found. */
  get passages(): string | null {
    if (this.#entries.length === 0) return null;
    const told = this.#entries.map(({ content, source }, index) => {
      return material('knowledge', { number: String(index + 1), source: source ?? '' }, content);
    });
    return told.join('\n');
  }

  /** For the person: where those passages stand that the answer names, and that are not listed in it yet. */
  sourcesOf(answer: string, locale: string | null): string {
    const named = new Set([...answer.matchAll(MARK)].map(([, digits]) => Number(digits)));
    const lines = this.#entries.flatMap(({ source, entry_id }, index) => {
      return named.has(index + 1) ? `[${index + 1}] ${source ?? entry_id}` : [];
    });
    const missing = lines.filter((line) => !answer.includes(`\n${line}`));
    if (missing.length === 0) return '';
    return `\n\n${locale?.startsWith('zh') ? '来源：' : 'Sources:'}\n${missing.join('\n')}`;
  }
}
