import { ensureBuilt } from '../scripts/launch/steps.mjs';

/** Process-level tests run `dist`; calling vitest directly must not test yesterday's build. */
export default async function setup(): Promise<void> {
  if (process.env.ROSTRA_BUILD !== 'skip') await ensureBuilt();
}
