/** A tab that was left for a moment is one that people come back to. */
const GRACE = 5_000;

/**
 * Aborted when nobody has looked at this tab for a while and nothing is under way in it, or with `signal`. A browser has
 * six connections to a host for all its tabs together: those that nobody looks at leave them to the others.
 */
export function untilUnseen(signal: AbortSignal, isBusy: () => boolean): AbortSignal {
  const left = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => (isBusy() ? look() : leave()), GRACE);
  };
  const leave = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
    signal.removeEventListener('abort', leave);
    left.abort();
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  else look();
  return left.signal;
}

/** Settles when somebody looks at this tab, or with `signal`. */
export function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      settle();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
