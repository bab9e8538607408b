import { ApiError, type Json } from '@rostra/runner-sdk';
import { patiently } from './patience.ts';
import type { TurnRun } from './turn-run.ts';

const AREA = 'binding';

/**
 * What the turn of a conversation has done, for another attempt at it: kept apart from the state, because what tools gave
 * is nothing to tell every frontend. One for each conversation, so that what a lost turn leaves does not pile up.
 */
export class TurnRecord {
  readonly #run: TurnRun;
  readonly #key: string;
  #isKept: boolean;

  constructor(run: TurnRun) {
    const { conversation, context, resources } = run.context;
    this.#run = run;
    this.#key = `turn/${conversation?.conversation_id ?? context.conversation_id ?? ''}/${context.thread_id ?? ''}`;
    this.#isKept = context.available_apis.storage && resources.storage.binding_storage;
  }

  /** Null where there is none. */
  async read(): Promise<Json> {
    const read = await this.#attempt(async ({ storage }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of storage.read({ area: AREA, key: this.#key })) pieces.push(piece);
      return Buffer.concat(pieces).toString('utf8');
    });
    return read === null || read === '' ? null : JSON.parse(read);
  }

  async write(value: Json): Promise<void> {
    await this.#attempt(({ storage }) => storage.put({ area: AREA, key: this.#key }, JSON.stringify(value)));
  }

  async remove(): Promise<void> {
    await this.#attempt(({ storage }) => storage.delete({ area: AREA, key: this.#key }));
  }

  /** Without a record a further attempt begins anew, as that of any runner would: no reason to fail. */
  async #attempt<T>(call: (api: TurnRun['tools']['api']) => Promise<T>): Promise<T | null> {
    if (!this.#isKept) return null;
    const { tools } = this.#run;
    try {
      return await patiently(tools, () => call(tools.api));
    } catch (error) {
      if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
      // What failed once may be kept with the next step: every record is a whole one.
      if (error.code === 'unauthorized') this.#isKept = false;
      return null;
    }
  }
}
