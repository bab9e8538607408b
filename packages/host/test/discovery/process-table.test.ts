import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { allProcesses, processFacts } from '../../src/discovery/process-table.ts';

function noneLeft(): never {
  throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
}

test('without a file descriptor left to look with nobody is seen', () => {
  const { readFileSync, readdirSync } = fs;
  onTestFinished(() => {
    Object.assign(fs, { readFileSync, readdirSync });
    syncBuiltinESMExports();
  });
  Object.assign(fs, { readFileSync: noneLeft, readdirSync: noneLeft });
  syncBuiltinESMExports();
  expect(allProcesses()).toEqual([]);
  expect(processFacts(process.pid)).toBeNull();
});
