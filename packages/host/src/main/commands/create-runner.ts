import { defineCommand } from 'citty';
import type { MadeProject } from '../runner-project.ts';
import { jsonOption } from './host-door.ts';
import { print } from './printing.ts';

export const createRunner = defineCommand({
  meta: { description: 'Writes a runner of your own into a new folder; it needs no registry and no network.' },
  args: {
    dir: { type: 'positional', required: true, description: 'the folder, new or empty' },
    lang: { type: 'string', valueHint: 'ts|python', description: 'the language (ts)' },
    ...jsonOption,
  },
  async run({ args }) {
    const { createProject } = await import('../runner-project.ts');
    const made = await createProject({ folder: args.dir, language: args.lang ?? 'ts', cwd: process.cwd() });
    print(args.json, made, () => projectText(made));
  },
});

function projectText({ name, shown, next, yaml }: MadeProject): string {
  const lines = [...next, `add to rostra.yaml:  ${yaml}`];
  return `The runner ${name} is in ${shown}. Next:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
