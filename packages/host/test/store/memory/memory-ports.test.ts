import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import type { ClaimedSession, UnitResult } from '../../../src/store/port.ts';
import { describeLeases } from '../ports/lease.suite.ts';
import { describePorts } from '../ports/ports.suite.ts';

describePorts('memory', () => Promise.resolve(new MemoryStore()));

describeLeases('memory', () => {
  const clock = { now: 1_000_000 };
  const store = new MemoryStore({ now: () => clock.now });
  return {
    clock,
    claim(session_id, holder) {
      let answer: [Error | null, ClaimedSession | null] = [null, null];
      store.claim(session_id, holder, (...args) => {
        answer = args;
      });
      if (answer[0] !== null) throw Object.assign(new Error(), { refusal: { ...answer[0], ...detailsOf(answer[0]) } });
      return answer[1];
    },
    renew(holder) {
      let answer: 'renewed' | 'lapsed' = 'lapsed';
      store.renew(holder, (_, result) => {
        answer = result;
      });
      return answer;
    },
    release: (session_id, holder) => store.release(session_id, holder),
    commit(...units) {
      let answer: UnitResult[] = [];
      store.commit(units, (_, results) => {
        answer = results;
      });
      return answer;
    },
  };
});

function detailsOf(error: Error): object {
  return 'details' in error && typeof error.details === 'object' ? (error.details ?? {}) : {};
}
