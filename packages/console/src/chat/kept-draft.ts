import { useEffect, useRef, useState } from 'react';

function keyOf(id: string): string {
  return `rostra.draft.${id}`;
}

/** What was being written in a conversation when this tab left it. */
export function keptDraft(id: string): string {
  try {
    return sessionStorage.getItem(keyOf(id)) ?? '';
  } catch {
    return '';
  }
}

export function keepDraft(id: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(id));
    else sessionStorage.setItem(keyOf(id), text);
  } catch {
    // A browser that keeps nothing, or no more: the text is on the screen all the same.
  }
}

/** A text that outlives the page: it is there again after a reload, and when somebody comes back to the conversation. */
export function useKeptText(id: string) {
  const [text, setText] = useState(() => keptDraft(id));
  const kept = useRef(id);
  useEffect(() => {
    // The first message gave the conversation its id: what is written now belongs to it.
    if (kept.current !== id) keepDraft(kept.current, '');
    kept.current = id;
    keepDraft(id, text);
  }, [id, text]);
  return [text, setText] as const;
}
