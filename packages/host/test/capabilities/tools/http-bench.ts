import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { onTestFinished } from 'vitest';

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: JsonObject | null;
  readonly response: ServerResponse;
}

export interface HttpBench {
  readonly url: string;
  readonly calls: HttpCall[];
  config(more?: object): ToolServerConfig;
}

/** Answers a call; returns false to leave it to the usual manners. */
export type Manner = (call: HttpCall) => boolean;

const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

/** A server over HTTP that is written by hand: it does what it is told, and writes down what it was sent. */
export async function httpBench(manner: Manner = () => false): Promise<HttpBench> {
  const calls: HttpCall[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const { method = '', url = '', headers } = request;
      const call = { method, url, headers, message: body === '' ? null : JSON.parse(body), response };
      calls.push(call);
      if (!manner(call)) answer(call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${portOf(server.address())}/mcp`;
  return { url, calls, config: (more = {}) => ToolServerConfig.parse({ url, ...more }) };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return address.port;
}

export function json(response: ServerResponse, body: Json, headers: Record<string, string> = {}): true {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  return true;
}

/** What a server of good manners answers. */
function answer({ method, message, response }: HttpCall): void {
  const id = message?.id ?? null;
  if (method === 'GET') response.writeHead(405).end();
  else if (method === 'DELETE') response.writeHead(200).end();
  else if (message?.method === 'initialize') {
    const serverInfo = { name: 'far', version: '1' };
    const result = { protocolVersion: '2025-06-18', serverInfo, capabilities: { tools: {} } };
    json(response, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': 'session-1' });
  } else if (message?.method === 'tools/list') json(response, { jsonrpc: '2.0', id, result: { tools: [tool] } });
  else if (message?.method === 'tools/call') {
    json(response, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'seen' }] } });
  } else response.writeHead(202).end();
}
