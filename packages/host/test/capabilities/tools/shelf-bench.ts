import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import { onTestFinished } from 'vitest';
import type { ToolServerLine } from '../../../src/capabilities/tools/mcp/server-log.ts';
import { type ToolServerStatus, ToolShelf, type ToolShelfOptions } from '../../../src/capabilities/tools/tool-shelf.ts';
import type { ToolAnswer, ToolCaller, ToolSource } from '../../../src/capabilities/tools/tool-source.ts';
import { SystemClock } from '../../../src/main/system-clock.ts';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import type { AuditEntry } from '../../../src/store/ports/audit.ts';

const fixture = fileURLToPath(new URL('fixtures/wild-server.mjs', import.meta.url));
const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

const nothing: ToolSource = {
  offers: () => [],
  call: () => Promise.reject(new Error('the host has no tools here')),
  close: async () => undefined,
};

/** The hand-written server, with a manner of its own, and with further tools of these names. */
export function wild(manner = 'plain', more: object = {}, tools: readonly string[] = []): ToolServerConfig {
  return ToolServerConfig.parse({ command: [process.execPath, fixture, manner, ...tools], ...more });
}

/** The reference server, over stdio. */
export function reference(more: object = {}): ToolServerConfig {
  return ToolServerConfig.parse({ command: [process.execPath, everything, 'stdio'], ...more });
}

export const referenceProgram = everything;

export interface Bench {
  readonly shelf: ToolShelf;
  readonly store: MemoryStore;
  readonly audit: AuditEntry[];
  readonly lines: ToolServerLine[];
  /** Resolves with the server's status when it is so. */
  when(server_id: string, isSo: (status: ToolServerStatus) => boolean): Promise<ToolServerStatus>;
  call(
    tool_name: string,
    parameters?: Record<string, string | number>,
    caller?: Partial<ToolCaller>,
  ): Promise<ToolAnswer>;
}

/** A shelf with these servers; it is closed after the test. */
export function bench(
  servers: Record<string, ToolServerConfig>,
  options: Partial<ToolShelfOptions> & { readonly store?: MemoryStore } = {},
): Bench {
  const { store = new MemoryStore(), ...rest } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'rostra-tools-'));
  const audit: AuditEntry[] = [];
  const lines: ToolServerLine[] = [];
  const shelf = new ToolShelf({
    own: nothing,
    registry: store.registry,
    clock: new SystemClock(),
    folder,
    environment: process.env,
    version: '1.0.0',
    workspace_id: 'local',
    audit: (entry) => audit.push(entry),
    log: (line) => lines.push(line),
    ...rest,
  });
  onTestFinished(async () => {
    await shelf.close();
    rmSync(folder, { recursive: true, force: true });
  });
  shelf.apply({ servers });
  const when: Bench['when'] = (server_id, isSo) =>
    new Promise((resolve) => {
      const look = (): void => {
        const status = shelf.status().find((each) => each.server_id === server_id);
        if (status === undefined || !isSo(status)) return;
        stop();
        resolve(status);
      };
      const stop = shelf.onChange(look);
      look();
    });
  const call: Bench['call'] = async (tool_name, parameters = {}, caller = {}) => {
    const found = shelf.find(tool_name);
    if (found === null) throw new Error(`${tool_name} is not offered`);
    return found.source.call(tool_name, parameters, runCaller(caller));
  };
  return { shelf, store, audit, lines, when, call };
}

export function runCaller(more: Partial<ToolCaller> = {}): ToolCaller {
  const { signal } = new AbortController();
  return { run_id: 'run-1', session_id: 's-1', agent_id: 'assistant', signal, ...more };
}

export const isReady = ({ state }: ToolServerStatus): boolean => state === 'ready';
export const isFailed = ({ state }: ToolServerStatus): boolean => state === 'failed';
