import type { Run } from './run.ts';

export type Channel = 'text' | 'reasoning';

/** Text and reasoning are messages of their own: a chunk of the other channel begins the next one. */
export function openMessage(run: Run, channel: Channel): { run: Run; message_id: string } {
  if (run.open !== null && run.open.channel === channel) return { run, message_id: run.open.message_id };
  const messages = run.messages + 1;
  const message_id = `${run.identity.run_id}.m${messages}`;
  return { run: { ...run, messages, open: { message_id, channel } }, message_id };
}

/** The id of a whole message: that of the text it was streamed as, else a new one. */
export function completeMessage(run: Run): { run: Run; message_id: string } {
  const { run: opened, message_id } = openMessage(run, 'text');
  return { run: { ...opened, open: null, said: true }, message_id };
}

/** What follows (a tool call) stands between two messages: later chunks are a message of their own. */
export function closeMessage(run: Run): Run {
  return run.open === null ? run : { ...run, open: null };
}
