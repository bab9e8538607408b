import { useCallback, useState } from 'react';
import { messageOf } from './error-message.ts';

interface Attempt {
  readonly isBusy: boolean;
  /** Why the last one failed; null when it did not, or is under way, or nobody needs to hear it any more. */
  readonly fault: string | null;
  /** Settles with the work and never rejects: what went wrong is the fault. */
  attempt(work: Promise<unknown>): Promise<void>;
  /** What was in the way may be gone: the fault is no longer shown. */
  readonly forgive: () => void;
}

/** Something that a person asked for and that may fail. */
export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const forgive = useCallback(() => setFault(null), []);
  const attempt = async (work: Promise<unknown>) => {
    setBusy(true);
    setFault(null);
    try {
      await work;
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, fault, attempt, forgive };
}
