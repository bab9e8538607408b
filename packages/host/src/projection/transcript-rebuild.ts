import { isDeepStrictEqual } from 'node:util';
import { stepsOf, TranscriptFold } from '@rostra/kernel/projection/transcript';
import { TOOL_RESULT, type TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';
import type { TranscriptStore } from '../store/ports/transcript.ts';
import { logPages, type ReadableLog } from './log-pages.ts';

/** Every finished message of a session, made anew from its log (SR-INV-L5). */
export async function* rebuiltTranscript(
  log: Pick<ReadableLog, 'readSegments'>,
  session_id: string,
  page_bytes?: number,
): AsyncGenerator<TranscriptRow> {
  const fold = new TranscriptFold();
  for await (const records of logPages(log, session_id, 0, page_bytes)) {
    for (const [input, outs] of stepsOf(records)) yield* fold.take(input, outs);
  }
}

/** The transcript as it is stored, from its beginning. */
async function* storedTranscript(
  transcript: Pick<TranscriptStore, 'page'>,
  session_id: string,
): AsyncGenerator<TranscriptRow> {
  let after = 0;
  for (;;) {
    const { rows, has_more } = await transcript.page(session_id, {
      after,
      limit: limits.page_items,
      where: { superseded: true },
    });
    yield* rows;
    after = rows.at(-1)?.seq ?? after;
    if (!has_more) return;
  }
}

/** A message as hosts kept it that knew no names of clients, and kept what a message shows as it was said. */
function asEarly(made: TranscriptRow, { ui_schema }: TranscriptRow): TranscriptRow {
  return { ...made, client_id: null, ui_schema };
}

/**
 * Where what is stored is not what the log makes of it, in one sentence; null when both are equal. Up to `early_seq` it
 * is held against what hosts made of a log then.
 */
export async function transcriptDrift(
  store: { log: Pick<ReadableLog, 'readSegments'>; transcript: Pick<TranscriptStore, 'page'> },
  session_id: string,
  early_seq = 0,
): Promise<string | null> {
  const stored = storedTranscript(store.transcript, session_id);
  for await (const made of rebuiltTranscript(store.log, session_id)) {
    const isEarly = made.seq <= early_seq;
    if (isEarly && made.item_type === TOOL_RESULT) continue;
    const { value: kept } = await stored.next();
    if (kept === undefined) return `The transcript of session ${session_id} lacks the message at record ${made.seq}.`;
    if (!isDeepStrictEqual(kept, isEarly ? asEarly(made, kept) : made)) {
      return `The transcript of session ${session_id} has at record ${kept.seq} what its log does not say.`;
    }
  }
  const { value: extra } = await stored.next();
  if (extra === undefined) return null;
  return `The transcript of session ${session_id} has at record ${extra.seq} a message that its log does not end.`;
}
