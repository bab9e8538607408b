import type { Attachments } from '../../src/attachments/attachments.ts';
import type { AguiIntake } from '../../src/http/routes/agui.ts';
import type { RunParts } from '../../src/http/run-submission.ts';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';

/** A host whose threads are all new, which has one tool. */
export function fakeIntake({ artifacts, transcript, interactions }: MemoryStore, attachments: Attachments) {
  const parts: RunParts = {
    artifacts,
    check: (principal, url) => attachments.check(principal, url),
    resolve: (principal, url, session_id) => attachments.resolve(principal, url, session_id),
  };
  const agui: AguiIntake = {
    gateway: { reach: async () => null, findKnown: async () => null },
    readThread: async () => ({ isNew: true, open: [], find: () => null }),
    saidAt: async () => null,
    continued: {
      openQuestions: async () => [],
      wereAsked: async () => false,
      resume: async () => ({ turn: null }),
      toolResults: async () => ({ turn: null }),
    },
    grace: () => 15_000,
  };
  return { parts, agui, transcript, interactions, attachments, hostTools: () => ['calculator'] };
}
