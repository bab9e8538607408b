import { StoreError } from '../../../src/store/refusal.ts';
import { Checkpointer } from '../../../src/store/sqlite/checkpointer.ts';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { SessionUnits } from '../session-units.ts';

/** Opens a database, writes a session of 200 records and copies its log into the file: whoever started it says where it dies. */
const [path = ''] = process.argv.slice(2);
const db = await openForWriting(path).catch((error: unknown) => {
  if (error instanceof StoreError) process.stdout.write(error.refusal.reason);
  throw error;
});
const file = new DatabaseFile(path);
const writer = new Writer(db, file);
const units = new SessionUnits('written');
for (let n = 0; n < 20; n += 1) writer.commit([units.next(10)]);
new Checkpointer(db, file, () => ({ refresh: () => undefined, cancel: () => undefined })).finish();
