import { type AguiView, beginView } from '@rostra/kernel/agui/agui-view';
import { type Framed, frameAgui } from '@rostra/kernel/agui/frame';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { Framing } from './framing.ts';

/** One task as AG-UI events. There is one for every run: a class, so that its functions are not made each time. */
export class TaskFraming implements Framing<AguiView> {
  readonly isStateless = false;
  readonly #session_id: string;
  readonly #turn_id: string;

  constructor(session_id: string, turn_id: string) {
    this.#session_id = session_id;
    this.#turn_id = turn_id;
  }

  begin(): AguiView {
    return beginView(this.#session_id, this.#turn_id);
  }

  frame(view: AguiView, record: LogRecord): Framed {
    return frameAgui(view, record);
  }

  isPaused({ phase }: AguiView): boolean {
    return phase === 'paused';
  }

  isDone({ phase }: AguiView): boolean {
    return phase === 'done';
  }
}
