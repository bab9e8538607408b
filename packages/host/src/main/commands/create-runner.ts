import { defineCommand } from 'citty';

export const createRunner = defineCommand({
  meta: { description: 'Writes a runner of your own into a new folder; it needs no registry and no network.' },
  args: {
    dir: { type: 'positional', required: true, description: 'the folder, new or empty' },
    lang: { type: 'string', valueHint: 'ts|python', description: 'the language (ts)' },
  },
  async run({ args }) {
    const { createProject } = await import('../runner-project.ts');
    await createProject({ folder: args.dir, language: args.lang ?? 'ts', cwd: process.cwd() }, (line) =>
      process.stdout.write(`${line}\n`),
    );
  },
});
