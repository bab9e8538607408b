import { artifactName } from '@rostra/kernel/artifact/artifact-name';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { expect, it } from 'vitest';

it.each([
  ['report.pdf', 'report.pdf'],
  ['数据库 备份.tar.gz', '数据库 备份.tar.gz'],
  ['../../etc/cron.d/x', 'x'],
  ['/', 'artifact'],
  ['..\\..\\windows\\x', 'x'],
  ['.bashrc', 'bashrc'],
  ['name. . ', 'name'],
  ['', 'artifact'],
  ['\u0000', 'artifact'],
  ['con', '_con'],
  ['Con.txt', '_Con.txt'],
  ['console.txt', 'console.txt'],
  ['a"b<c>|?*:d', 'a_b_c_____d'],
  ['line\r\nbreak\u2028', 'linebreak'],
  ['\u202Egpj.exe', 'gpj.exe'],
  ['half \ud800 pair', 'half  pair'],
])('%j is kept as %j (case 27)', (given, kept) => {
  expect(artifactName(given)).toBe(kept);
});

it('a long name is cut between characters and keeps its ending', () => {
  const name = artifactName(`${'😀'.repeat(4096)}.json`);
  expect(utf8Length(name)).toBeLessThanOrEqual(limits.artifact_name_bytes);
  expect(utf8Length(name)).toBeGreaterThan(limits.artifact_name_bytes - 4);
  expect(name.endsWith('😀.json')).toBe(true);
  expect(utf8Length(artifactName(`a.${'b'.repeat(4096)}`))).toBe(limits.artifact_name_bytes);
});
