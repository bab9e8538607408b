import type { Framed } from '@rostra/kernel/agui/frame';
import type { LogRecord } from '@rostra/protocol/record/record';

/** A way to read a log as events: which records it shows, and what each of them says. `V` is where a reading stands. */
export interface Framing<V> {
  begin(): V;
  frame(view: V, record: LogRecord): Framed<V>;
  /** Nothing that comes can be shown any more. */
  isDone(view: V): boolean;
  /** Nothing goes on at this moment: the last AG-UI run has ended, and another may begin. */
  isPaused?(view: V): boolean;
  /** Each record speaks for itself: a reading can begin anywhere. */
  readonly isStateless: boolean;
}
