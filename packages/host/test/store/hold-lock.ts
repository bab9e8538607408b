import { lockDataFolder } from '../../src/store/store-lock.ts';

/** Locks the folder that it is given, says so, and holds it until its input ends. */
const [folder = '', address = ''] = process.argv.slice(2);
const lock = lockDataFolder(folder);
lock.update({ address });
process.stdout.write('locked\n');
process.stdin.on('end', () => process.exit(0)).resume();
