import { sessionOperations as operations } from '@rostra/protocol/run-api/operations/sessions';
import { amendedRows, messagesOnly } from '../../projection/amended-rows.ts';
import type { SessionDesk } from '../../session/session-desk.ts';
import type { CursorScope, Cursors } from '../../store/cursor.ts';
import type { TranscriptStore } from '../../store/ports/transcript.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import { type ReaderParts, readerMeans } from '../reader-means.ts';
import { transcriptItem } from '../transcript-item.ts';

export interface TranscriptRouteDeps {
  readonly desk: Pick<SessionDesk, 'find'>;
  readonly transcript: TranscriptStore;
  readonly cursors: Cursors;
  readonly reader: ReaderParts;
}

export function transcriptRoutes({ desk, transcript, cursors, reader }: TranscriptRouteDeps): ApiRoute[] {
  return [
    route(operations.readTranscript, async ({ principal, params, query, req }) => {
      const { session_id, workspace_id } = await desk.find(params.sessionId, principal);
      const scope: CursorScope = { family: 'transcript', workspace_id, conversation_id: session_id, thread_id: null };
      const seqOf = (cursor: string) => Number(cursors.open(scope, cursor));
      const { before, after, limit } = query;
      if (before !== undefined && after !== undefined) throw bothWays();
      const { rows, has_more } = await transcript.page(session_id, {
        ...(before !== undefined && { before: seqOf(before) }),
        ...(after !== undefined && { after: seqOf(after) }),
        ...(limit !== undefined && { limit }),
        where: messagesOnly,
      });
      const means = await readerMeans(reader, session_id, principal, req);
      const seal = (seq: number) => cursors.seal(scope, String(seq));
      const [first, last] = [rows[0], rows.at(-1)];
      // What is asked for after a place has that place before it.
      const isEarlier = after !== undefined || has_more;
      const isEnd = before === undefined && (after === undefined || !has_more);
      const amended = await amendedRows(transcript, session_id, rows);
      return {
        status: 200,
        body: {
          items: amended.map((row, n) => transcriptItem(row, means, isEnd && n === amended.length - 1)),
          before: first === undefined || !isEarlier ? null : seal(first.seq),
          after: last === undefined ? (after ?? null) : seal(last.seq),
          hasMore: has_more,
        },
      };
    }),
  ];
}

function bothWays(): HttpError {
  return new HttpError(422, 'invalid_argument', 'before and after: only one of them', {
    details: { hint: 'Give before to go back, or after to go forward.' },
  });
}
