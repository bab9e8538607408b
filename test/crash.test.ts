import { expect, test } from 'vitest';
import { isClean, Siege } from './crash/siege.ts';
import { Prng } from './simulation/world/prng.ts';

test('a host that is killed three times under load loses nothing that a client saw', { timeout: 120_000 }, async () => {
  const prng = new Prng(3);
  const verdict = await new Siege({
    kills: 3,
    clients: 8,
    chance: () => prng.unit(),
    say: () => undefined,
  }).run();
  expect(verdict).toMatchObject({ lost: 0, repeated: 0, forgotten: 0, unterminated: 0, orphans: 0 });
  expect(isClean(verdict)).toBe(true);
  expect(verdict.turns).toBeGreaterThan(5);
  expect(verdict.frames).toBeGreaterThan(50);
});
