import type { Reading } from './read-thread.ts';
import type { PortName } from './tables/port-tables.ts';
import type { WorkerThread } from './worker-thread.ts';

/** Which thread answers each call of a port, and whether the disk is waited for. */
export type Route = 'read' | 'flush' | 'commit';

/** A port whose work is done elsewhere: every call crosses to the thread that its route names. */
export function remotePort<P>(
  threads: { writer: Pick<WorkerThread, 'ask'>; reader: Reading },
  port: PortName,
  routes: { readonly [K in keyof P]: Route },
): P {
  const calls = Object.entries<Route>(routes).map(([call, route]) => {
    const ask = (...args: unknown[]) =>
      route === 'read'
        ? threads.reader.ask({ method: 'port', port, call, args, flush: false })
        : threads.writer.ask({ method: 'port', port, call, args, flush: route === 'flush' });
    return [call, ask] as const;
  });
  // The routes name every call of the port and nothing else.
  return Object.fromEntries(calls) as P;
}
