import type { BackupManifest } from '@rostra/protocol/record/backup-manifest';
import { counted } from './printing.ts';

/** What is in a backup, for machines; `hash` is what `rostra replay` gives for it. */
export function contentOf({ created_at, sessions, records, blobs, replay }: BackupManifest) {
  return { createdAt: created_at, sessions, records, files: blobs.length, hash: replay };
}

/** The same for people. */
export function contentText({ sessions, records, blobs }: BackupManifest): string {
  return `${counted(sessions, 'session')}, ${counted(records, 'record')}, ${counted(blobs.length, 'file')}`;
}
