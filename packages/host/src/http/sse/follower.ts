/**
 * What a stream is followed to: the first end of an AG-UI run that it shows, the end of the one that goes on now or went on
 * last, or the end of all that it can show.
 */
export type FollowUntil = 'run_end' | 'last_run_end' | 'task_end';

/** One reader of a view, however its frames travel. */
export interface Follower {
  /** The last record whose frames were handed over, or are not to be. */
  position: number;
  readonly until: FollowUntil;
  readonly isOpen: boolean;
  /** Bytes that the reader has not taken yet. */
  readonly buffered: number;
  /** Tells the reader that its stream has begun, with the first frames if there are any. */
  begin(text: string, ascii?: boolean): void;
  /** `ascii`: a text that is known to be, here and below; the bytes of others are counted. */
  write(data: string | Buffer, ascii?: boolean): void;
  /** Ends the stream with its last frames. */
  end(data: string | Buffer, ascii?: boolean): void;
  /** Ends it in good order though it is not at its end: the host, or what is read, goes away. With a last frame, perhaps. */
  close(farewell?: string): void;
  /** Ends it short of its end; the reader resumes by its last event id. */
  cut(): void;
  /** Resolves when the reader has taken what it was sent, or is gone. */
  drained(): Promise<void>;
  /** Keeps the connection alive, and cuts a reader that has taken nothing for too long. */
  ping(now: number): void;
}
