import type { StoreReason } from './reason.ts';
import type { ReasonText } from './reason-text.ts';

/** `details.reason` of what the store refuses. */
export const storeReasonTexts: Readonly<Record<StoreReason, ReasonText>> = {
  BACKUP_UNUSABLE: [
    'The backup cannot be restored.',
    'It is not whole, was changed, or is no backup.',
    'Use another backup.',
  ],
  BAD_KEY: [
    'The key cannot be used.',
    'It is empty, too long, or has characters that keys do not have.',
    'Use another key.',
  ],
  BAD_PAGE: [
    'There is no such page.',
    'A limit below 1, or a cursor that was not given here.',
    'Begin without a cursor.',
  ],
  BAD_RANGE: [
    'There are no such bytes.',
    'An offset or a length below 0 or beyond the end.',
    'Ask for bytes that there are.',
  ],
  CONTENT_MISMATCH: [
    'The content is not what was announced.',
    'Its size, hash or type differs from what was said of it.',
    'Send it again as it is.',
  ],
  DATA_FOLDER_LOCKED: [
    'Another host uses the data folder.',
    'A host runs on it, or one that was killed left its lock on another machine.',
    'Stop that host, or set `ROSTRA_DATA` to another folder.',
  ],
  DATA_FOLDER_NOT_EMPTY: [
    'There is something in the folder already.',
    'A restore goes into an empty folder.',
    'Name another folder.',
  ],
  DATA_FOLDER_UNUSABLE: [
    'The data folder cannot be used.',
    'It cannot be made, read or written.',
    'Check its path and its permissions.',
  ],
  DISK_FULL: [
    'The disk is full.',
    'There is no room for what must be written.',
    'Make room; nothing that was committed is lost.',
  ],
  KNOWLEDGE_BASE_GONE: [
    'There is no such knowledge base.',
    'It was deleted, or never was.',
    'Look for it in the list of knowledge bases.',
  ],
  KNOWLEDGE_FULL: [
    'There is no room for more knowledge.',
    'There are as many knowledge bases, or parts of one document, as there can be.',
    'Delete bases that are not needed, or divide the document.',
  ],
  NOT_JSON: ['The value is not JSON.', 'It holds something that JSON cannot express.', 'Store it as bytes.'],
  REVISION_MISMATCH: [
    'It was changed meanwhile.',
    'Somebody else changed it since it was read: `If-Match` names an older revision.',
    'Read it again and repeat the change.',
  ],
  SEARCH_TOO_LONG: [
    'The search took too long.',
    'Very common words over very many messages.',
    'Search for fewer or rarer words.',
  ],
  SESSION_GONE: [
    'The session was deleted.',
    'Somebody deleted it, or its time was up.',
    'Use another thread: its id is never given again.',
  ],
  SESSION_HELD: [
    'Another process has the session.',
    'A host that has just ended, or a second one on the same store.',
    'Try again in a few seconds.',
  ],
  STORE_BUSY: ['The store is busy.', 'Another program holds the database.', 'Try again; let no other program open it.'],
  STORE_CLOSED: ['The store is closed.', 'The host is shutting down.', 'Try again when it is back.'],
  STORE_CORRUPT: [
    'The database is damaged.',
    'Bytes on the disk have changed, or the file is no database.',
    'Restore a backup; `rostra doctor` shows what is wrong.',
  ],
  STORE_DUPLICATE: ['It is there already.', 'The same id was stored before.', 'Use another id.'],
  STORE_FAILED: [
    'The store failed.',
    'The disk or the database answered with an error.',
    'The host’s log has the reason.',
  ],
  STORE_LOST: [
    'The file of the database is gone.',
    'It, or its journal, was deleted or replaced while the host ran.',
    'Stop the host and put the file back, or move away what is left of it.',
  ],
  STORE_NEWER: [
    'A newer Rostra wrote this.',
    'The database or backup has a schema that this one does not know.',
    'Start the newer Rostra.',
  ],
  STORE_OLDER: [
    'An unreleased Rostra wrote this.',
    'The database has a form that no release reads.',
    'Move the data folder away.',
  ],
  STORE_READONLY: ['The store cannot be written.', 'The file or its folder is read-only.', 'Check its permissions.'],
  STORE_UNSETTLED: [
    'An older Rostra has not finished here.',
    'It was killed before it had written all that it had committed, and only it can.',
    'Start that version once more and stop it with Ctrl-C; then start this one.',
  ],
  TOO_MANY_ARTIFACTS: ['Too many artifacts.', 'A run has made as many as it may.', 'Put more into one artifact.'],
  TOO_MANY_KEYS: ['Too many keys.', 'A scope of state holds as many as it can.', 'Delete keys that are not needed.'],
  TOO_MANY_UPLOADS: [
    'Too many uploads at once.',
    'Some were begun and not ended, or nothing refers to them yet.',
    'End them, or send them in a message.',
  ],
  VALUE_TOO_LARGE: [
    'The value is too large.',
    'It is over the limit of where it should be stored.',
    'Store it as an artifact.',
  ],
};
