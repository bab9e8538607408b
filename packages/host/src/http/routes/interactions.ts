import type { IncomingMessage, ServerResponse } from 'node:http';
import { AnswerBody, InteractionStatus } from '@rostra/protocol/run-api/interaction';
import { limits } from '@rostra/protocol/wire/limits';
import type { Inbox, InboxQuery } from '../../interactions/inbox.ts';
import type { Clock } from '../../session/clock.ts';
import { readBody } from '../body.ts';
import { HttpError } from '../errors.ts';
import { parseJson } from '../run-body.ts';
import { checkContentType } from './runs.ts';

export const INTERACTIONS_PATH = '/api/v1/interactions';

/** The inbox as HTTP uses it. */
export type InteractionInbox = Pick<Inbox, 'page' | 'get' | 'answer'>;

const bodyLimit = { bytes: limits.interaction_bytes, message: 'an answer has at most 256 KiB' };

function refused(message: string, hint: string): HttpError {
  return new HttpError(422, 'invalid_argument', message, { details: { hint } });
}

/** What `GET /api/v1/interactions` was asked for. */
export function inboxQuery(query: (name: string) => string | undefined): InboxQuery {
  const status = InteractionStatus.optional().safeParse(query('status'));
  if (!status.success) {
    throw refused('there is no such status', `Ask for one of ${InteractionStatus.options.join(', ')}.`);
  }
  const limit = query('limit');
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) {
    throw refused('limit must be a number above 0', `Ask for 1 to ${limits.page_items} questions.`);
  }
  const cursor = query('cursor');
  if (cursor !== undefined && cursor.length > 512)
    throw refused('this is no cursor', 'Give back `next_cursor` as it is.');
  return {
    status: status.data,
    session_id: query('session_id'),
    cursor,
    limit: limit === undefined ? limit : Number(limit),
  };
}

export async function readAnswer(req: IncomingMessage, res: ServerResponse, clock: Clock): Promise<AnswerBody> {
  checkContentType(req);
  const parsed = AnswerBody.safeParse(parseJson(await readBody(req, res, bodyLimit, clock)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.');
  throw refused(`${where}: ${issue?.message ?? 'is no answer'}`, 'Send {"action_id": …, "values": {…}}.');
}
