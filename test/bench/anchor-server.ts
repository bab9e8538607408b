import { createServer } from 'node:http';

/**
 * The limit that the host is measured against: plain `node:http` that parses the body and writes the same events as SSE,
 * each serialised and written as it comes. No authentication, validation, session, log or runner.
 */
process.once('message', (events: unknown[]) => {
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (text: string) => {
      body += text;
    });
    req.on('end', () => {
      JSON.parse(body);
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      for (const [n, event] of events.entries()) res.write(`id: ${n}.0.1\ndata: ${JSON.stringify(event)}\n\n`);
      res.end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
});
