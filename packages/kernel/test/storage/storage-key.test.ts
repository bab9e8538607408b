import { storageKeyFault } from '@rostra/kernel/storage/storage-key';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, it } from 'vitest';

it.each(['', 'a', 'a/b', '/a', 'a..b', '...', '.', 'k'.repeat(limits.storage_key_chars)])(
  '%j can be a key or a prefix',
  (key) => {
    expect(storageKeyFault(key)).toBeNull();
  },
);

it.each(['..', '../', 'a/..', 'a/../b', '..\\b', 'a\tb', '\ud800', 'k'.repeat(limits.storage_key_chars + 1)])(
  '%j is none (case 48)',
  (key) => {
    expect(storageKeyFault(key)).not.toBeNull();
  },
);
