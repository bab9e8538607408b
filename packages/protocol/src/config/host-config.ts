import { z } from 'zod';
import { SessionSettings } from '../session/roster.ts';
import { timeouts } from '../wire/limits.ts';
import { AgentConfig, IsolationLevel, ProcessSharing } from './agent-config.ts';

const text = z.string().min(1).max(4096);

/** How a runner package is found and started: a folder, an npm package by name, a plain command, or one that dials in. */
const started = {
  isolation: IsolationLevel.optional(),
  processes: ProcessSharing.optional(),
  env: z.record(z.string(), z.string()).default({}),
  enabled: z.boolean().default(true),
};
export const RunnerSource = z.union([
  text,
  z.strictObject({ path: text, name: text.optional(), ...started }),
  z.strictObject({ package: text, name: text.optional(), ...started }),
  z.strictObject({ command: z.array(text).min(1).max(64), name: text, cwd: text.optional(), ...started }),
  z.strictObject({ remote: text, token: text, enabled: z.boolean().default(true) }),
]);
export type RunnerSource = z.infer<typeof RunnerSource>;

const milliseconds = z.number().int().positive();
const days = z.number().positive().max(36_500).nullable();

/** `rostra.yaml`. Every key has a default; an unknown one is refused by whoever reads the file. */
export const HostConfig = z.strictObject({
  server: z
    .strictObject({
      host: text.default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(8787),
      public_url: z.url().nullable().default(null),
      hosts: z.array(text).default([]),
      origins: z.array(text).default([]),
    })
    .prefault({}),
  data: z
    .strictObject({ folder: text.default('.rostra'), durability: z.enum(['class', 'flush']).default('class') })
    .prefault({}),
  auth: z.strictObject({ api_key: text.nullable().default(null) }).prefault({}),
  runners: z.array(RunnerSource).default([]),
  agents: z.record(z.string().min(1).max(128), AgentConfig).default({}),
  /** `agents` is the default roster, in order; null: every agent of the host, those of the file first. */
  session: z
    .strictObject({
      agents: z.array(z.string()).nullable().default(null),
      active: z.string().nullable().default(null),
      auto_invite: z.boolean().default(false),
      timeouts: SessionSettings.shape.timeouts.partial().prefault({}),
      /** How long a session stays in memory after it came to rest. */
      idle: milliseconds.default(5 * 60_000),
    })
    .prefault({}),
  limits: z
    .strictObject({
      runs_per_process: z.number().int().min(1).max(1024).default(32),
      sessions_in_memory: z.number().int().min(1).default(10_000),
      artifact_bytes: z
        .number()
        .int()
        .min(1)
        .default(20 * 1024 * 1024),
      turn: milliseconds.default(timeouts.turn),
    })
    .prefault({}),
  /** In days; null keeps for ever. */
  retention: z
    .strictObject({ sessions: days.default(null), audit: days.default(90), artifacts: days.default(null) })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
      format: z.enum(['auto', 'pretty', 'json']).default('auto'),
      file: text.nullable().default(null),
    })
    .prefault({}),
  demo: z.boolean().default(true),
});
export type HostConfig = z.infer<typeof HostConfig>;
