import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** What a confined process sees of the file system: nothing but this. */
export interface SandboxView {
  /** Links of the root, such as /bin → usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** What leads to the rest and is not there itself, outer ones first. */
  readonly parents: readonly string[];
  /** Files and folders that can be read, outer ones first. */
  readonly readable: readonly string[];
  /** Folders among those that are empty instead. */
  readonly hidden: readonly string[];
  /** The one folder that can be written; its `tmp` is also /tmp. */
  readonly home: string;
  readonly cwd: string;
}

/** Programs and libraries, and of /etc what they need to resolve names, users, times and certificates: no secrets. */
const system = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/nix/store',
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/group',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/passwd',
  '/etc/pki',
  '/etc/ssl',
];

export interface ViewOptions {
  readonly program: string;
  readonly folders: readonly string[];
  readonly hidden: readonly string[];
  readonly home: string;
  readonly cwd: string;
}

export function sandboxView({ program, folders, hidden, home, cwd }: ViewOptions): SandboxView {
  const present = system.filter(existsSync);
  const links = present.flatMap((each) =>
    lstatSync(each).isSymbolicLink() && path.dirname(each) === '/' ? { path: each, target: readlinkSync(each) } : [],
  );
  const readable = present.filter((each) => !links.some((link) => link.path === each));
  for (const folder of [...folders.filter(existsSync), ...prefixesOf(program)]) {
    if (!readable.some((each) => isBelow(each, folder))) readable.push(folder);
  }
  // What lies in another must be mounted after it.
  readable.sort((one, two) => one.length - two.length);
  const parents = ancestorsOf([...readable, home]).filter((each) => !readable.some((outer) => isBelow(outer, each)));
  return {
    links,
    parents,
    readable,
    hidden: hidden.filter((each) => readable.some((outer) => isBelow(outer, each))),
    home,
    cwd,
  };
}

/** The program where it is named and where it really is: with its `lib`, if it lies in a `bin`. */
function prefixesOf(program: string): string[] {
  return [...new Set([program, realpathSync(program)])].map((file) => {
    const folder = path.dirname(file);
    return path.basename(folder) === 'bin' && path.dirname(folder) !== '/' ? path.dirname(folder) : file;
  });
}

function ancestorsOf(files: readonly string[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    for (let at = path.dirname(file); at !== '/'; at = path.dirname(at)) found.add(at);
  }
  return [...found].sort((one, two) => one.length - two.length);
}

function isBelow(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}
