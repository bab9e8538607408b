import { z } from 'zod';

const text = z.string().min(1).max(4096);

/** A program with its arguments, started without a shell. */
export const RunnerProgram = z.union([text, z.array(text).min(1).max(64)]);
export type RunnerProgram = z.infer<typeof RunnerProgram>;

/** The name of the file that makes a folder a runner package. */
export const RUNNER_FILE = 'rostra-runner.json';

/** `rostra-runner.json`: how the runners of a folder are started. Relative paths are those of the folder. */
export const RunnerFile = z.strictObject({
  $schema: z.string().optional(),
  command: RunnerProgram,
  env: z.record(z.string(), z.string()).default({}),
  name: z.string().min(1).max(128).optional(),
  cwd: text.optional(),
});
export type RunnerFile = z.infer<typeof RunnerFile>;

/** What of a package.json says how to start its runners: `rostra`, or else its program. */
export const RunnerPackageJson = z.object({
  name: z.string().optional(),
  rostra: z.union([text, RunnerFile.omit({ name: true })]).optional(),
  bin: z.union([text, z.record(z.string(), text)]).optional(),
});
export type RunnerPackageJson = z.infer<typeof RunnerPackageJson>;
