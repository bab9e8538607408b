import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ToolCaller } from '../tool-source.ts';
import type { McpConnection } from './mcp-connection.ts';
import { givenUp } from './server-fault.ts';

type Open = (lost: (why: ApiError) => void, signal: AbortSignal) => Promise<McpConnection>;

/** A connection of each run to a server that remembers its caller: opened by the first call, closed with the run. */
export class RunConnections {
  readonly #open: Open;
  readonly #server_id: string;
  readonly #runs = new Map<string, Promise<McpConnection>>();

  constructor(open: Open, server_id: string) {
    this.#open = open;
    this.#server_id = server_id;
  }

  of({ run_id, signal, run_over = signal }: ToolCaller): Promise<McpConnection> {
    const known = this.#runs.get(run_id);
    if (known !== undefined) return known;
    if (run_over.aborted) return Promise.reject(run_over.reason instanceof ApiError ? run_over.reason : givenUp());
    if (this.#runs.size >= limits.tool_server_runs) return Promise.reject(this.#tooMany());
    const opened = this.#open(() => forget(), run_over);
    const forget = (): void => {
      if (this.#runs.get(run_id) === opened) this.#runs.delete(run_id);
      run_over.removeEventListener('abort', end);
    };
    const end = (): void => {
      forget();
      void closed(opened);
    };
    this.#runs.set(run_id, opened);
    run_over.addEventListener('abort', end, { once: true });
    opened.catch(forget);
    return opened;
  }

  async close(): Promise<void> {
    const open = [...this.#runs.values()];
    this.#runs.clear();
    await Promise.all(open.map(closed));
  }

  #tooMany(): ApiError {
    return new ApiError('rate_limited', `Too many runs use the tool server ${this.#server_id} at once.`, {
      retryable: true,
      details: { hint: 'Try again when some of them are over.' },
    });
  }
}

async function closed(opened: Promise<McpConnection>): Promise<void> {
  try {
    const connection = await opened;
    await connection.close();
  } catch (error) {
    // What never opened needs no closing; whoever waited for it was told.
    if (!(error instanceof ApiError)) throw error;
  }
}
