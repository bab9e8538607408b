import type { Readable, Writable } from 'node:stream';

/** Two directions of bytes to one other side: the stdio of a child process, one's own stdio, a socket. */
export interface Channel {
  readonly readable: Readable;
  readonly writable: Writable;
  /** Nothing more is read; what was written before still leaves. */
  close(): void;
}
