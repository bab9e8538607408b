import { RostraClient } from '@rostra/client';

const listeners = new Set<() => void>();

/** Told whenever the host does not know who asks: the login has run out, or was ended elsewhere. */
export function onStranger(listener: () => void): void {
  listeners.add(listener);
}

/** The host that served this page; a cookie says who asks. */
export const client = new RostraClient({
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    if (response.status === 401) for (const listener of listeners) listener();
    return response;
  },
});
