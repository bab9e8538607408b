/** Writes the client into a folder, as one package that npm installs offline, for programs outside this repository. */

import { packLibrary } from './pack/library-archive.ts';
import { writePacked } from './pack/packed.ts';

function main([folder]: readonly string[]): void {
  if (folder === undefined) throw new Error('Usage: npm run client -- FOLDER');
  const client = packLibrary({
    folder: 'client',
    entries: ['index'],
    of: ['protocol'],
    bundled: ['zod', 'eventsource-parser'],
    platform: 'browser',
  });
  writePacked(folder, [client]);
}

main(process.argv.slice(2));
