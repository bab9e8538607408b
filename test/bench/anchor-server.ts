import { createServer, type ServerResponse } from 'node:http';

/** All events at once, one in each turn of the event loop, one per so many milliseconds, or the first one and then nothing. */
export type AnchorPace = 'at once' | 'by turns' | number | 'hold';

/** What the anchor writes, and how. */
export interface AnchorOrder {
  readonly events: unknown[];
  readonly pace: AnchorPace;
}

/**
 * The limit that the host is measured against: plain `node:http` that parses the body and writes the same events as SSE,
 * each serialised and written as it comes. No authentication, validation, session, log or runner.
 */
process.once('message', ({ events, pace }: AnchorOrder) => {
  const frame = (n: number) => `id: ${n}.0.1\ndata: ${JSON.stringify(events[n])}\n\n`;
  const paced = (res: ServerResponse, ms: number) => {
    let n = 0;
    const timer = setInterval(() => {
      res.write(frame(n));
      n += 1;
      if (n < events.length) return;
      clearInterval(timer);
      res.end();
    }, ms);
  };
  const byTurns = (res: ServerResponse, n: number) => {
    res.write(frame(n));
    if (n + 1 < events.length) setImmediate(byTurns, res, n + 1);
    else res.end();
  };
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (text: string) => {
      body += text;
    });
    req.on('end', () => {
      JSON.parse(body);
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      if (typeof pace === 'number') paced(res, pace);
      else if (pace === 'by turns') byTurns(res, 0);
      else if (pace === 'hold') res.write(frame(0));
      else {
        for (const n of events.keys()) res.write(frame(n));
        res.end();
      }
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
});
