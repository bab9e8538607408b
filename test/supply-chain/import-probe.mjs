/**
 * Imports the modules named as arguments and prints, as JSON, every attempt to reach the outside meanwhile: sockets,
 * name look-ups, child processes. Prototypes are patched, so that it does not matter how a module got hold of them.
 */

import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for what a module puts off to the next turns of the event loop. */
const SETTLE_MS = 100;
/** @type {string[]} */
const attempts = [];

/** @param {object} target @param {string} owner @param {string[]} methods */
function watch(target, owner, methods) {
  for (const method of methods) {
    const original = Reflect.get(target, method);
    if (typeof original !== 'function') continue;
    Reflect.set(
      target,
      method,
      /** @this {unknown} @param {unknown[]} args */
      function (...args) {
        attempts.push(`${owner}.${method}`);
        return Reflect.apply(original, this, args);
      },
    );
  }
}

watch(net.Socket.prototype, 'net.Socket', ['connect']);
watch(net.Server.prototype, 'net.Server', ['listen']);
watch(dgram.Socket.prototype, 'dgram.Socket', ['bind', 'connect', 'send']);
watch(childProcess.ChildProcess.prototype, 'ChildProcess', ['spawn']);
watch(childProcess, 'child_process', ['spawnSync', 'execSync', 'execFileSync']);
const lookups = ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveTxt', 'resolveSrv', 'resolveAny'];
watch(dns, 'dns', lookups);
watch(dns.promises, 'dns.promises', lookups);
syncBuiltinESMExports();

process.on('uncaughtException', (error) => attempts.push(`uncaught ${error.message}`));
process.on('unhandledRejection', (reason) => attempts.push(`unhandled ${String(reason)}`));

for (const specifier of process.argv.slice(2)) await import(specifier);
await sleep(SETTLE_MS);
process.stdout.write(JSON.stringify(attempts));
process.exit(0);
