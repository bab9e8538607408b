import type { Server } from 'node:http';
import { ApiError } from '@rostra/protocol/wire/api-error';

/** How many ports after the default one are tried before giving up. */
const PORTS_TRIED = 20;

export interface Listening {
  port: number;
  /** The default port, when another program has it. */
  taken: number | null;
}

/** Resolves to null when it listens, else to the system's word for why not. */
function tryPort(server: Server, host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => {
      server.off('listening', done);
      resolve(error.code ?? error.message);
    };
    const done = () => {
      server.off('error', fail);
      resolve(null);
    };
    server.once('error', fail);
    server.once('listening', done);
    server.listen({ host, port });
  });
}

function refusal(host: string, port: number, why: string): ApiError {
  const hints: Readonly<Record<string, string>> = {
    EADDRINUSE: 'Another program uses it. Name a free port with --port or ROSTRA_PORT, or none: then Rostra finds one.',
    EACCES: 'This user may not open it. Choose a port from 1024 on.',
    EADDRNOTAVAIL: 'This machine has no such address. Check --host, ROSTRA_HOST or the file.',
    ENOTFOUND: 'This name has no address. Check --host, ROSTRA_HOST or the file.',
  };
  return new ApiError('runtime_error', `Cannot listen on ${host}, port ${port} (${why}).`, {
    details: {
      hint:
        hints[why] ?? 'Check the address and the port: --host and --port, ROSTRA_HOST and ROSTRA_PORT, or the file.',
    },
  });
}

/** Listens on the port that was asked for, or on the first free one from the default on. */
export async function listen(
  server: Server,
  { host, port, port_is_explicit }: { host: string; port: number; port_is_explicit: boolean },
): Promise<Listening> {
  const last = port_is_explicit ? port : port + PORTS_TRIED;
  for (let candidate = port; ; candidate += 1) {
    const why = await tryPort(server, host, candidate);
    if (why === null) {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : candidate;
      return { port: bound, taken: candidate === port ? null : port };
    }
    if (why !== 'EADDRINUSE' || candidate >= last) throw refusal(host, candidate, why);
  }
}
