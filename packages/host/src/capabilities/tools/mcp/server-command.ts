import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import type { ChildCommand } from '@rostra/transport/child-process';

export type StdioServerConfig = Extract<ToolServerConfig, { command: string[] }>;

export interface ServerPlace {
  /** Where each server has a folder of its own. */
  readonly folder: string;
  /** What the allow-list is read from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Beside these only HOME and TMPDIR, which are private: nothing of the host's own environment leaks. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;

/** The program of a server: its arguments as they stand, never a shell. */
export function serverCommand(server_id: string, config: StdioServerConfig, place: ServerPlace): ChildCommand {
  const home = path.join(place.folder, server_id);
  const tmp = path.join(home, 'tmp');
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  const env: Record<string, string> = { HOME: home, TMPDIR: tmp };
  for (const name of inherited) {
    const value = place.environment[name];
    if (value !== undefined) env[name] = value;
  }
  const [file = '', ...args] = config.command;
  return { file, args, ...(config.cwd !== undefined && { cwd: config.cwd }), env: { ...env, ...config.env } };
}
