import type { ServerResponse } from 'node:http';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
};

/** Events that stand in no log, as frames without ids: nobody can resume after them. */
export function writeEvents(res: ServerResponse, events: readonly AguiEvent[]): void {
  if (!res.headersSent) res.writeHead(200, HEADERS);
  res.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

export function sendEvents(res: ServerResponse, events: readonly AguiEvent[]): void {
  writeEvents(res, events);
  res.end();
}
