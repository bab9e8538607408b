import { generateKeyPairSync } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import { SignJWT } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openAccessSide } from '../../src/main/access-side.ts';
import { Configuration } from '../../src/main/configuration.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { LiveConfig } from '../../src/main/live-config.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { folderWith } from '../config/config-folder.ts';
import { ManualClock } from '../manual-clock.ts';

const HOUR = 60 * 60_000;
const owner = {
  workspace_id: 'w',
  user_id: 'owner',
  is_admin: true,
  credential: { id: 'owner', scopes: ['runs', 'admin'] as const, streams: null, runs_minute: null },
};

/** A host whose own clock follows that of the wall until the machine sleeps, or the wall's is set. */
async function open() {
  const clock = new ManualClock();
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now() });
  onTestFinished(() => void vi.useRealTimers());
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const cwd = folderWith({
    'keys.json': JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA' }] }),
    'rostra.yaml':
      'auth: { jwt: { jwks_file: keys.json, issuer: i, audience: a, algorithms: [EdDSA], everyone: [runs] } }',
  });
  const log = new HostLog(() => undefined);
  const store = new MemoryStore();
  const configuration = await Configuration.read({ env: {}, flags: {}, cwd });
  const live = await LiveConfig.open(configuration, store.registry, log);
  const { settings } = configuration;
  const audit = { add: () => undefined };
  const { access } = await openAccessSide({ key: 'rostra_x', owner, settings, live, store, clock, audit, log });
  const token = () =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer('i')
      .setAudience('a')
      .setSubject('u')
      .setNotBefore(new Date())
      .setExpirationTime(new Date(Date.now() + HOUR))
      .sign(privateKey);
  return { access, clock, token };
}

it('keys and tokens end, and begin, by the wall’s time while the host’s own stands still', async () => {
  const { access, clock, token } = await open();
  const early = await token();
  const { id, key } = await access.createKey(
    { name: 'k', scopes: ['runs'], streams: 1, runsPerMinute: 1, expiresAt: new Date(Date.now() + HOUR).toISOString() },
    owner,
  );
  expect(await access.find(early)).toMatchObject({ user_id: 'jwt:u' });
  expect(await access.find(key)).not.toBe(null);
  const ended: string[] = [];
  access.watch((credential_id) => void ended.push(credential_id));
  clock.advance(limits.wall_look);
  expect(ended).toEqual([]);

  vi.setSystemTime(Date.now() + 8 * HOUR);
  expect(await access.find(early)).toBe(null);
  expect(await access.find(key)).toBe(null);
  expect(await access.find(await token())).toMatchObject({ user_id: 'jwt:u' });
  clock.advance(limits.wall_look);
  expect(ended).toEqual([`key:${id}`]);
});
