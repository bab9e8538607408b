import { asNobody } from './bubblewrap.ts';
import type { SandboxView } from './sandbox-view.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const devices = ['null', 'zero', 'full', 'random', 'urandom'];

/** The same as bubblewrap does, by the tools that every Linux has: a root of its own, and no way back out of it. */
export function unshareArgs(view: SandboxView, nobody: boolean): string[] {
  const user = nobody ? [] : ['--user', '--map-root-user'];
  const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child'];
  return [...user, ...namespaces, '--', 'sh', '-c', script(view, nobody), 'sh'];
}

/** Where the new root is put together: a folder in the home, on which nothing is left behind. */
export function rootFolder(home: string): string {
  return `${home}/.root`;
}

function script({ links, readable, hidden, home, cwd }: SandboxView, nobody: boolean): string {
  const root = rootFolder(home);
  const at = (path: string) => quote(`${root}${path}`);
  const bind = (path: string, to = path) => [
    `if [ -d ${quote(path)} ]; then mkdir -p ${at(to)}; else mkdir -p "$(dirname ${at(to)})"; : > ${at(to)}; fi`,
    `mount --rbind ${quote(path)} ${at(to)}`,
  ];
  const privileges = asNobody.filter((word) => nobody || !/^--(reuid|regid|clear)/.test(word)).join(' ');
  return [
    'set -e',
    'mount --make-rprivate /',
    `mount -t tmpfs -o mode=755 tmpfs ${quote(root)}`,
    ...links.map(({ path, target }) => `ln -s ${quote(target)} ${at(path)}`),
    // Before the rest, which may itself lie in /tmp.
    ...bind(`${home}/tmp`, '/tmp'),
    ...readable.flatMap((path) => [...bind(path), `mount -o remount,bind,ro,nosuid,nodev ${at(path)}`]),
    `mkdir -p ${at('/proc')} ${at('/dev/shm')} ${at('/.old')}`,
    `mount -t proc proc ${at('/proc')}`,
    ...devices.flatMap((device) => bind(`/dev/${device}`)),
    `mount -t tmpfs -o mode=1777 tmpfs ${at('/dev/shm')}`,
    ...hidden.map((path) => `mount -t tmpfs -o mode=755 tmpfs ${at(path)}`),
    ...bind(home),
    `cd ${quote(root)}`,
    'pivot_root . .old',
    'umount -l /.old',
    'rmdir /.old',
    'mount -o remount,ro /',
    `cd ${quote(cwd)}`,
    `exec ${privileges} "$@"`,
  ].join('\n');
}
