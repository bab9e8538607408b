import { execSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject } from '../../src/main/runner-project.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'rostra-project-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const project = (cwd: string, name: string) => createProject({ folder: name, language: 'python', cwd });

test('a project goes into a new folder and into an empty one, and into no other', async () => {
  const cwd = folder();
  expect(await project(cwd, 'mine')).toMatchObject({ name: 'mine', shown: 'mine', yaml: 'runners: [./mine]' });
  expect(existsSync(path.join(cwd, 'mine', 'runner.py'))).toBe(true);
  await expect(project(cwd, 'mine')).rejects.toMatchObject({ message: `${path.join(cwd, 'mine')} is not empty.` });
});

test('what to type next can be typed, whatever the folder is called', async () => {
  const cwd = folder();
  const { next } = await project(cwd, "it's my runner");
  expect(execSync(`${next[0]} && pwd`, { cwd, encoding: 'utf8' })).toBe(`${path.join(cwd, "it's my runner")}\n`);
});

test('a file is no folder for a project, and none is made below it', async () => {
  const cwd = folder();
  writeFileSync(path.join(cwd, 'readme'), '');
  await expect(project(cwd, 'readme')).rejects.toMatchObject({
    message: `${path.join(cwd, 'readme')} is no folder.`,
    details: { hint: expect.stringContaining('Name a folder that does not exist yet') },
  });
  await expect(project(cwd, 'readme/mine')).rejects.toMatchObject({ message: expect.stringContaining('(ENOTDIR)') });
});
