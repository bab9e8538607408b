import type { Facts, Place, RunFact, SaidFact } from '../world/facts.ts';
import { CursorBook } from './cursor-book.ts';
import type { Params } from './expected.ts';
import type { Served } from './kept.ts';

type Reach = 'conversation' | 'actor' | 'bot' | 'workspace';

/** How far the run may look beyond its own conversation. */
export function reachOf({ grant }: RunFact): Reach {
  return grant.resources.history.scope ?? 'conversation';
}

/** Whether something that was said belongs to the bot, actor or workspace that the run may look into. */
function isInReach(run: RunFact, place: Place): boolean {
  const { workspace_id, bot_id, actor_id } = run.place;
  if (place.workspace_id !== workspace_id) return false;
  const reach = reachOf(run);
  if (reach === 'bot') return bot_id !== null && place.bot_id === bot_id;
  if (reach === 'actor') return actor_id !== null && place.actor_id === actor_id;
  return reach === 'workspace';
}

function isOwnPlace(run: RunFact, { conversation_id, bot_id, thread_id }: Place): boolean {
  const own = run.place;
  return conversation_id === own.conversation_id && bot_id === own.bot_id && thread_id === own.thread_id;
}

/** Whether the run may ask about a conversation that it names: its own, or one that its reach touches. */
export function mayLookInto(run: RunFact, conversation_id: unknown, { said, ledger }: Facts): boolean {
  if (conversation_id === undefined || conversation_id === null) return true;
  if (conversation_id === run.place.conversation_id) return true;
  if (reachOf(run) !== 'workspace') {
    return said.some(({ place }) => place.conversation_id === conversation_id && isInReach(run, place));
  }
  const places = [...said, ...ledger].map(({ place }) => place);
  return places.some((place) => place.conversation_id === conversation_id && isInReach(run, place));
}

/** A thread other than the run's own is looked into only by who may look further than a conversation. */
export function maySearch(run: RunFact, { filters }: Params, facts: Facts): boolean {
  const { conversation_id, thread_id } = (filters ?? {}) as Params;
  const isOwn = conversation_id === undefined || conversation_id === run.place.conversation_id;
  if (!isOwn) return mayLookInto(run, conversation_id, facts);
  return thread_id === undefined || thread_id === run.place.thread_id || isInReach(run, run.place);
}

/** What the run may see of a conversation, oldest first. */
function visible(run: RunFact, conversation_id: unknown, { said }: Facts): SaidFact[] {
  const own = run.place.conversation_id;
  const named = conversation_id ?? own;
  const isOwn = named === own;
  return said.filter(({ place }) => place.conversation_id === named && (isOwn ? isOwnPlace : isInReach)(run, place));
}

interface Listed {
  readonly cursors: CursorBook;
  readonly facts: Facts;
}

function listOf(family: string, run: RunFact, conversation_id: unknown): string {
  const own =
    conversation_id === undefined || conversation_id === null || conversation_id === run.place.conversation_id;
  if (own) return CursorBook.listOf(family, run.place);
  // Of another conversation a run knows no thread.
  return CursorBook.listOf(family, { ...run.place, conversation_id: String(conversation_id), thread_id: null });
}

const sizeOf = (params: Params) => Math.min(100, Number(params.limit ?? 50));

function differs(given: readonly unknown[], expected: readonly unknown[]): string | null {
  if (JSON.stringify(given) === JSON.stringify(expected)) return null;
  return `the page has ${JSON.stringify(given)}, not ${JSON.stringify(expected)}`;
}

export function historyPage(run: RunFact, params: Params, { cursors, facts }: Listed): Served {
  const list = listOf('history', run, params.conversation_id);
  const { before_cursor, after_cursor } = params;
  if (!cursors.areGood(list, before_cursor, after_cursor)) return { outcome: 'invalid_argument' };
  const before = cursors.placeOf(before_cursor) ?? Number.POSITIVE_INFINITY;
  const after = cursors.placeOf(after_cursor) ?? 0;
  const rows = visible(run, params.conversation_id, facts).filter(({ seq }) => seq > after && seq < before);
  const page = params.direction === 'forward' ? rows.slice(0, sizeOf(params)) : rows.slice(-sizeOf(params));
  return {
    outcome: 'ok',
    check: ({ items, has_more }) => {
      const given = items as { event_id: string; seq: number; cursor: string }[];
      for (const { cursor, seq } of given) cursors.learnItem(list, cursor, seq);
      if (has_more !== rows.length > page.length) return `has_more is ${has_more}`;
      return differs(
        given.map(({ event_id }) => event_id),
        page.map(({ event_id }) => event_id),
      );
    },
  };
}

export function eventsPage(run: RunFact, params: Params, { cursors, facts }: Listed): Served {
  const list = listOf('events', run, params.conversation_id);
  if (!cursors.areGood(list, params.before_cursor)) return { outcome: 'invalid_argument' };
  const types = (params.event_types ?? []) as readonly string[];
  const before = cursors.placeOf(params.before_cursor) ?? Number.POSITIVE_INFINITY;
  const all = visible(run, params.conversation_id, facts).reverse();
  const rows = all.filter(({ seq, event_type }) => seq < before && (types.length === 0 || types.includes(event_type)));
  const page = rows.slice(0, sizeOf(params));
  return {
    outcome: 'ok',
    check: ({ items, next_cursor }) => {
      const last = page.at(-1);
      if (typeof next_cursor === 'string' && last !== undefined) cursors.learnItem(list, next_cursor, last.seq);
      const given = (items as { event: { event_id: string } }[]).map(({ event }) => event.event_id);
      return differs(
        given,
        page.map(({ event_id }) => event_id),
      );
    },
  };
}

/** What is found is the host's judgement; that it is the run's to see, and that the plainest hit is among it, is not. */
export function historySearch(run: RunFact, params: Params, { facts }: Listed): Served {
  const { conversation_id, thread_id, roles } = (params.filters ?? {}) as Params;
  const isEverywhere = conversation_id === undefined && reachOf(run) !== 'conversation';
  const isElsewhere = thread_id !== undefined && thread_id !== run.place.thread_id;
  const inPlace = (place: Place) => {
    if (isEverywhere) return isInReach(run, place);
    if (place.conversation_id !== (conversation_id ?? run.place.conversation_id)) return false;
    return place.conversation_id === run.place.conversation_id && !isElsewhere
      ? isOwnPlace(run, place)
      : isInReach(run, place);
  };
  const isWanted = ({ place, role }: SaidFact) =>
    inPlace(place) &&
    (thread_id === undefined || place.thread_id === thread_id) &&
    (roles === undefined || (roles as readonly string[]).includes(role));
  const seen = facts.said.filter(isWanted);
  const isThere = seen.some(({ content }) => content.split(' ').includes(String(params.query)));
  return {
    outcome: 'ok',
    check: ({ items }) => {
      const given = (items as { event_id: string }[]).map(({ event_id }) => event_id);
      const foreign = given.find((id) => !seen.some(({ event_id }) => event_id === id));
      if (foreign !== undefined) return `${foreign} was found, which is not the run’s to see`;
      return isThere && given.length === 0 ? 'nothing was found, and it is there' : null;
    },
  };
}
