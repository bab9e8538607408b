import { defineCommand } from 'citty';
import { describe, expect, it } from 'vitest';
import { MANY, readCommand, usageOf } from '../../src/main/command-line.ts';
import { root, USAGE } from '../../src/main/commands/root.ts';

const program = defineCommand({
  subCommands: {
    save: () =>
      Promise.resolve(
        defineCommand({
          meta: { description: 'Saves a file.' },
          args: {
            file: { type: 'positional', description: 'where to' },
            level: { type: 'string', alias: 'l', valueHint: 'N', description: 'how well' },
            force: { type: 'boolean', description: 'even if it is there' },
          },
        }),
      ),
    send: defineCommand({ args: { words: { type: 'positional', valueHint: MANY } } }),
    list: defineCommand({ args: { json: { type: 'boolean' } } }),
    group: defineCommand({ subCommands: { one: defineCommand({ meta: { description: 'The first.' } }) } }),
  },
});

async function asked(...args: string[]): Promise<string> {
  const found = await readCommand(program, args);
  if (found.do === 'refuse') return found.problem;
  return found.do === 'run' ? `run ${found.args.join(' ')}`.trim() : found.do;
}

describe('the command line', () => {
  it.each<[string[], string]>([
    [[], 'help'],
    [['help'], 'help'],
    [['start'], 'run'],
    [['start', '--help'], 'help'],
    [['-h'], 'help'],
    [['--version'], 'version'],
    [['frob'], 'refuse'],
    [['--frob'], 'refuse'],
    [['start', '--port'], 'refuse'],
    [['start', '--port', '1', '--config=x.yaml'], 'run'],
    [['config'], 'refuse'],
    [['config', 'show', '--json'], 'run'],
    [['constructor'], 'refuse'],
  ])('of rostra: %j asks for %s', async (args, expected) => {
    expect((await readCommand(root, args)).do).toBe(expected);
  });

  it.each<[string[], string]>([
    [['save', 'x'], 'run x'],
    [['save', 'x', '--level', '3', '--force'], 'run x --level 3 --force'],
    [['save', '-l', '3', 'x'], 'run -l 3 x'],
    [['save', 'x', '--no-force'], 'run x --no-force'],
    [['save', '--', '--anything'], 'run -- --anything'],
    [['save', 'x', '--', '--anything'], 'save takes no "--anything".'],
    [['save', '--'], 'save needs FILE.'],
    [['save', '--', ''], 'save needs FILE.'],
    [['save', '--level', '--', 'x'], 'save needs a value after --level.'],
    [['list', '--', 'extra'], 'list takes no "extra".'],
    [['list', '--'], 'run --'],
    [['send', '--', 'a', '--help', '--', 'b'], 'run -- a --help -- b'],
    [['send', '--'], 'send needs WORDS.'],
    [['save'], 'save needs FILE.'],
    [['save', ''], 'save needs FILE.'],
    [['save', 'x', 'y'], 'save takes no "y".'],
    [['save', 'x', '--levl', '3'], 'save takes no "--levl". Did you mean "--level"?'],
    [['save', 'x', '--level'], 'save needs a value after --level.'],
    [['save', 'x', '--level', '--force'], 'save needs a value after --level.'],
    [['sav', 'x'], 'There is no command "sav". Did you mean "save"?'],
    [['--save'], 'There is no option "--save".'],
    [['group'], 'group needs one of: one.'],
    [['group', 'two'], 'There is no command "group two".'],
    [['group', 'one'], 'run'],
    [['save', '--version', 'x'], 'version'],
    [['save', '--', '--help'], 'run -- --help'],
  ])('%j: %s', async (args, expected) => {
    expect(await asked(...args)).toBe(expected);
  });

  it('says how each command is used, from what the command says about itself', async () => {
    const help = await readCommand(program, ['save', '--help']);
    if (help.do !== 'help' || help.command === null) throw new Error('no help');
    expect(await usageOf(help.command, help.names)).toBe(
      [
        'Usage: rostra save [options] FILE',
        '',
        'Saves a file.',
        '',
        '  FILE       where to',
        '  --level N  how well',
        '  --force    even if it is there',
      ].join('\n'),
    );
  });

  it('names every command in the text that it shows first', async () => {
    const subCommands = typeof root.subCommands === 'object' ? root.subCommands : {};
    for (const name of Object.keys(subCommands)) expect(USAGE).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
  });
});
