import { useSyncExternalStore } from 'react';

export type Look = 'system' | 'light' | 'dark';

const STORED = 'rostra.look';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function stored(): Look {
  const value = window.localStorage.getItem(STORED);
  return value === 'light' || value === 'dark' ? value : 'system';
}

let look = stored();

function apply(): void {
  const isDark = look === 'dark' || (look === 'system' && dark.matches);
  document.documentElement.dataset.look = isDark ? 'dark' : 'light';
}

/** Before anything is drawn: the page never flashes in the other look. */
export function startLook(): void {
  apply();
  dark.addEventListener('change', apply);
}

export function setLook(next: Look): void {
  look = next;
  if (next === 'system') window.localStorage.removeItem(STORED);
  else window.localStorage.setItem(STORED, next);
  apply();
  for (const listener of listeners) listener();
}

export function useLook(): Look {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => look,
  );
}
