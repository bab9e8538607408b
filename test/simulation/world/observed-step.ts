import type { SessionContext } from '@rostra/kernel/session/context';
import { step as decide, type Step } from '@rostra/kernel/session/step';
import type { SessionMessage } from '@rostra/protocol/session/message';

interface Observer {
  /** Before the step; what it throws is thrown by the step. */
  before(message: SessionMessage): void;
  after(before: SessionContext, message: SessionMessage, step: Step): void;
}

let observer: Observer | null = null;

export function observeSteps(watch: Observer | null): void {
  observer = watch;
}

/** Stands in for the kernel's `step` where the driver imports it, in the simulator's bundle only. */
export function step(context: SessionContext, message: SessionMessage): Step {
  observer?.before(message);
  const stepped = decide(context, message);
  observer?.after(context, message, stepped);
  return stepped;
}
