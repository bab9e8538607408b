import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RUNNER_FILE } from '@rostra/protocol/config/runner-file';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { errnoOf } from '../store/artifacts/file-error.ts';
import { UsageError } from './commands/usage-error.ts';
import { programs } from './programs.ts';

export interface ProjectOrder {
  readonly folder: string;
  readonly language: string;
  readonly cwd: string;
}

interface Language {
  /** Where the files of a new project come from. */
  readonly template: URL;
  readonly files: readonly string[];
  /** What it takes beyond its files. */
  equip(project: Project): Promise<void>;
  /** What to type next, before the host is told of it. */
  steps(folder: string): readonly [string, string];
}

interface Project {
  readonly folder: string;
  readonly name: string;
}

const NAME_CHARS_MAX = 64;
const run = promisify(execFile);

const languages: Readonly<Record<string, Language>> = {
  ts: {
    template: programs.runnerTemplate,
    files: [RUNNER_FILE, 'README.md', 'src/main.ts', 'src/runner.ts', 'test/runner.test.ts', 'tsconfig.json'],
    equip: equipTypeScript,
    steps: (folder) => [`cd ${folder} && npm install`, 'npm test'],
  },
  python: {
    template: programs.pythonExample,
    files: [RUNNER_FILE, 'runner.py'],
    equip: async (project) => write(project, 'README.md', pythonReadme(project)),
    steps: (folder) => [`cd ${folder}`, 'rostra runners check -- python3 runner.py'],
  },
};

/** What was written, and what to do next. */
export interface MadeProject {
  readonly name: string;
  readonly folder: string;
  /** The folder as whoever asked may call it. */
  readonly shown: string;
  /** Commands to type. */
  readonly next: readonly string[];
  /** What the host's configuration says of it. */
  readonly yaml: string;
}

/** Writes a new project. Nothing that is there already is touched. */
export async function createProject(order: ProjectOrder): Promise<MadeProject> {
  const language = Object.hasOwn(languages, order.language) ? languages[order.language] : undefined;
  if (language === undefined) {
    const known = Object.keys(languages).join(' or ');
    throw new UsageError(`There is no template for ${JSON.stringify(order.language)}.`, `Write --lang ${known}.`);
  }
  const folder = path.resolve(order.cwd, order.folder);
  const project = { folder, name: nameOf(folder) };
  takeFolder(folder);
  for (const file of language.files)
    write(project, file, fitted(readFileSync(new URL(file, language.template), 'utf8'), project));
  await language.equip(project);
  const shown = path.relative(order.cwd, folder) || '.';
  const inYaml = path.isAbsolute(shown) || shown.startsWith('.') ? shown : `./${shown}`;
  return { ...project, shown, next: language.steps(asWord(shown)), yaml: `runners: [${inYaml}]` };
}

/** A path as one word of a shell. */
function asWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Makes it, unless it is there and empty. */
function takeFolder(folder: string): void {
  const hint = 'Name a folder that does not exist yet, in one that you may write.';
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    const code = errnoOf(error);
    if (code === null) throw error;
    const why = code === 'EEXIST' ? 'is no folder' : `cannot be made or read (${code})`;
    throw new ApiError('invalid_argument', `${folder} ${why}.`, { details: { hint } });
  }
  throw new ApiError('invalid_argument', `${folder} is not empty.`, { details: { hint } });
}

/** A name that npm, the host and a person can use. */
function nameOf(folder: string): string {
  const plain = path
    .basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (plain !== '') return plain.slice(0, NAME_CHARS_MAX);
  throw new ApiError('invalid_argument', `${path.basename(folder)} has no letter or digit to make a name of.`, {
    details: { hint: 'Name the folder in Latin letters; the label of the runner can be anything.' },
  });
}

/** The templates are runners named echo, which run as they are. */
function fitted(text: string, { name }: Project): string {
  const title = name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase());
  return text
    .replaceAll('example/echo', `local/${name}`)
    .replaceAll(/\becho\b/g, name)
    .replaceAll(/\bEcho\b/g, title);
}

function write({ folder }: Project, file: string, text: string): void {
  const full = path.join(folder, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}

interface VendoredPackage {
  readonly name: string;
  readonly file: string;
}

/** The SDK and the compiler come as archives of this checkout, so that npm asks no registry. */
async function equipTypeScript(project: Project): Promise<void> {
  const launcher = fileURLToPath(programs.launcher);
  const vendor = path.join(project.folder, 'vendor');
  const args = [launcher, 'script', 'scripts/pack-sdk.ts', vendor];
  const { stdout } = await run(process.execPath, args).catch((error: Error) => {
    throw new ApiError('runtime_error', `The SDK cannot be packed: ${error.message}`, {
      details: { hint: 'Run npm run build in the checkout of Rostra, then try again.' },
    });
  });
  const packed: VendoredPackage[] = JSON.parse(stdout);
  const [sdk, ...tools] = packed.map(({ name, file }): [string, string] => [name, `file:vendor/${file}`]);
  const manifest = {
    name: project.name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: { build: 'tsc', prepare: 'tsc', test: 'tsc && node --test dist/test/*.test.js' },
    dependencies: Object.fromEntries(sdk === undefined ? [] : [sdk]),
    devDependencies: Object.fromEntries(tools),
  };
  write(project, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  write(project, '.gitignore', 'node_modules/\ndist/\n');
  write(project, '.npmrc', 'audit=false\nfund=false\nupdate-notifier=false\n');
}

function pythonReadme({ name }: Project): string {
  return `# ${name}

A runner for Rostra in one file, \`runner.py\`, with nothing but the standard library. Change \`MANIFEST\` and \`run\`:
everything below them is the protocol.

One line in the \`rostra.yaml\` of a host is enough: \`runners: [path/to/this/folder]\`. The agent \`${name}\` then answers.
\`rostra runners check -- python3 runner.py\` says whether the runner keeps the protocol's promises.
`;
}
