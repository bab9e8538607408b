import { Worker } from 'node:worker_threads';
import { limits } from '@rostra/protocol/wire/limits';
import { readable, textOf, titleOf } from './page-markup.ts';

export interface PageTextOptions {
  /** The thread that makes Markdown of a page. */
  readonly worker: URL;
  readonly clock: { now(): number; at(at: number, wake: () => void): () => void };
}

/** Makes texts of pages of the web, a few at a time. A page that cannot be made Markdown is told by its bare words. */
export class PageText {
  readonly #options: PageTextOptions;
  readonly #waiting: (() => void)[] = [];
  #threads = 0;

  constructor(options: PageTextOptions) {
    this.#options = options;
  }

  async of(html: string, signal: AbortSignal): Promise<string> {
    const content = readable(html);
    const title = titleOf(html);
    const text = (await this.#markdown(content, signal)) ?? textOf(content);
    signal.throwIfAborted();
    return title === '' ? text : `# ${title}\n\n${text}`;
  }

  async #markdown(html: string, signal: AbortSignal): Promise<string | null> {
    while (this.#threads >= limits.page_text_threads) await new Promise<void>((go) => this.#waiting.push(go));
    this.#threads += 1;
    try {
      return signal.aborted ? null : await this.#run(html, signal);
    } finally {
      this.#threads -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Null when the thread fell over the page, or took too long. */
  async #run(html: string, signal: AbortSignal): Promise<string | null> {
    const { worker, clock } = this.#options;
    const thread = new Worker(worker, {
      name: 'page',
      workerData: html,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: limits.page_text_memory_mib },
    });
    const { promise, done } = outcome();
    const giveUp = () => done(null);
    const callOff = clock.at(clock.now() + limits.page_text, giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    thread.once('message', (text: unknown) => done(typeof text === 'string' ? text : null));
    thread.once('error', giveUp);
    thread.once('exit', giveUp);
    try {
      return await promise;
    } finally {
      callOff();
      signal.removeEventListener('abort', giveUp);
      await thread.terminate();
    }
  }
}

function outcome(): { promise: Promise<string | null>; done: (text: string | null) => void } {
  let done: (text: string | null) => void = () => undefined;
  const promise = new Promise<string | null>((resolve) => {
    done = resolve;
  });
  return { promise, done };
}
