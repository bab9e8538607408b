import type { InboundFrame } from '@rostra/transport/frame';

/** One line that crossed while a runner was checked. */
export interface WireLine {
  /** Its place among the lines of its connection, both directions, from 1. */
  readonly number: number;
  readonly from: 'host' | 'runner';
  readonly text: string;
  readonly bytes: number;
  /** Undefined for a line that is no frame. */
  readonly frame: InboundFrame | undefined;
}

/** Something that the protocol forbids, and the line that shows it. */
export interface Violation {
  readonly problem: string;
  readonly line?: WireLine;
}

/** What a check could not find; the line is the last one that came, if there was one. */
export class BrokenPromise extends Error {
  readonly line: WireLine | undefined;

  constructor(problem: string, line?: WireLine) {
    super(problem);
    this.name = 'BrokenPromise';
    this.line = line;
  }
}

/** The runner gave no occasion to see it. */
export class NotShown extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotShown';
  }
}
