import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { secretKeyPath, secretKeys } from '../../src/main/secret-key.ts';

/** As on a file system that nobody may write on; the one of the tests can always be written. */
function chmod(): void {
  throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
}

it('a key that others can read, and that cannot be closed to them, is refused in one sentence', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'rostra-secret-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  writeFileSync(secretKeyPath(data), 'ab'.repeat(32), { mode: 0o644 });
  const read = () => secretKeys(data, {}, chmod).read();
  expect(read).toThrow('can be read by others, and cannot be closed to them (EROFS)');
  expect(read).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      details: expect.objectContaining({ reason: 'SECRETS_LOCKED' }),
    }),
  );
});
