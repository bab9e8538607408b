import { type ReactNode, useEffect, useRef } from 'react';

/** What became of a question. Whoever answered it here reads on here: the button that they pressed is gone. */
export function OutcomeLine({ isMine, children }: { isMine: boolean; children: ReactNode }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isMine && document.activeElement === document.body) line.current?.focus({ preventScroll: true });
  }, [isMine]);
  return (
    <p ref={line} tabIndex={-1} className="mt-2 text-sm text-dim">
      {children}
    </p>
  );
}
