import type { SandboxView } from './sandbox-view.ts';

/** The user that everything unprivileged runs as, if the host may choose: it owns nothing. */
export const NOBODY = 65_534;

/** Drops whatever privilege is left, inside the sandbox. */
export const asNobody: readonly string[] = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--',
];

/** Without privilege root cannot enter what belongs to nobody: the one who may has to do it. */
const enter = 'cd "$0" && exec "$@"';

/** The arguments of bwrap up to the command: namespaces of its own, a root of nothing but the view. */
export function bubblewrapArgs(view: SandboxView, nobody: boolean): string[] {
  const { links, parents, readable, hidden, home, cwd } = view;
  const identity = nobody
    ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP']
    : ['--unshare-user'];
  return [
    ...identity,
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--die-with-parent',
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // Before the rest, which may itself lie in /tmp.
    '--bind',
    `${home}/tmp`,
    '/tmp',
    ...parents.flatMap(passable),
    ...readable.flatMap((each) => ['--ro-bind', each, each]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...hidden.flatMap((each) => ['--tmpfs', each]),
    '--bind',
    home,
    home,
    '--remount-ro',
    '/',
    '--chdir',
    nobody ? '/' : cwd,
    '--',
    ...(nobody ? [...asNobody, '/bin/sh', '-c', enter, cwd] : []),
  ];
}

/** By itself bwrap makes folders on the way that only their owner may pass. */
function passable(folder: string): string[] {
  return ['--perms', '0755', '--dir', folder];
}
