import { Agent, request } from 'node:http';
import type { FuzzCase } from './target.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Sent {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly ms: number;
  /** The beginning of what was answered. */
  readonly text: string;
}

/** Answers end within this, or something hangs. */
const PATIENCE = 30_000;
const KEPT = 400;

export function send(url: string, { method, path, headers, body }: FuzzCase): Promise<Sent> {
  const begun = performance.now();
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const done = (status: number) => resolve({ status, ms: performance.now() - begun, text });
    const req = request({ agent, hostname, port, method, path, headers, timeout: PATIENCE }, (res) => {
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        if (text.length < KEPT) text += chunk.slice(0, KEPT);
      });
      res.on('end', () => done(res.statusCode ?? 0));
      res.on('error', () => done(0));
    });
    req.on('timeout', () => {
      text = `no end within ${PATIENCE} ms`;
      req.destroy();
    });
    req.on('error', () => done(0));
    req.end(body ?? undefined);
  });
}
