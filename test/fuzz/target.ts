import type { Chance } from './chance.ts';

/** One request that somebody could send. */
export interface FuzzCase {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** What stands in the host before anything is thrown at it. */
export interface Ground {
  readonly url: string;
  readonly key: string;
  /** Real ids, so that cases get further than the first look. */
  readonly threadId: string;
  readonly taskId: string;
  readonly eventId: string;
  readonly interactionId: string;
  /** A signed url of an upload, without the address of the host. */
  readonly attachment: string;
}

export interface Target {
  readonly name: string;
  make(chance: Chance, ground: Ground): FuzzCase;
  /** What is wrong with being answered so; null when nothing is. */
  fault?(sent: FuzzCase, status: number, ground: Ground): string | null;
}
