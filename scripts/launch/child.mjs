import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const OUTPUT_CHARS_MAX = 200_000;
/** npm and the terminal both deliver one Ctrl-C; what follows this closely is the same key press. */
const REPEAT_MS_MAX = 250;
const PARENT_POLL_MS = 250;
/** How long a step may take to end. npm would undo for minutes what the next install does anew anyway. */
const STEP_GRACE_MS = 2_000;
/** A terminal sends Ctrl-C to every process in the foreground. Passed on as well, it would count as the second one. */
const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
/** Noted before there is a child: a parent that is lost while we install, or wait for another launcher, is lost too. */
const parent = process.ppid;
/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {object} Ending
 * @property {number} code exit code; 128 + signal number if a signal ended the process
 * @property {string} output what it wrote, if captured
 * @property {boolean} timedOut
 * @property {NodeJS.Signals | undefined} interrupted the signal that was passed on, if any
 */

/**
 * npm starts us through `sh -c`, and when npm is told to end it ends that shell, which tells nobody. So the loss of the
 * parent counts as SIGTERM, but only below npm: elsewhere a launcher may well outlive the shell that started it.
 *
 * @param {() => void} act
 * @returns {NodeJS.Timeout | undefined}
 */
function whenOrphaned(act) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_POLL_MS);
  return timer.unref();
}

/**
 * Runs a program, passes signals on to it and waits for its end. The child stays in our process group, so that whoever
 * ends the group ends it too.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd: string, capture?: boolean, timeoutMs?: number, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<Ending>}
 */
export function runChild(file, args, { cwd, capture = false, timeoutMs, env = process.env }) {
  return new Promise((resolve, reject) => {
    const child = capture
      ? spawn(file, args, { cwd, env: { ...env, NO_COLOR: '1', FORCE_COLOR: '0' }, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(file, args, { cwd, env, stdio: 'inherit' });
    let output = '';
    let timedOut = false;
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_MAX);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);

    let last = 0;
    /** @type {NodeJS.Signals | undefined} */
    let interrupted;
    /** @type {NodeJS.Timeout | undefined} */
    let grace;
    const pass = (/** @type {NodeJS.Signals} */ signal) => {
      interrupted = signal;
      if (capture) grace ??= setTimeout(() => child.kill('SIGKILL'), STEP_GRACE_MS);
      if (signal === 'SIGINT' && hasTerminal) return;
      const now = Date.now();
      if (now - last > REPEAT_MS_MAX) child.kill(signal);
      last = now;
    };
    for (const signal of forwarded) process.on(signal, pass);
    const orphaned = whenOrphaned(() => child.kill('SIGTERM'));
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    function expire() {
      timedOut = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
    }
    function settle() {
      clearTimeout(timer);
      clearTimeout(grace);
      clearInterval(orphaned);
      for (const signal of forwarded) process.off(signal, pass);
    }
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('close', (code, signal) => {
      settle();
      const ended = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ code: ended, output, timedOut, interrupted });
    });
  });
}
