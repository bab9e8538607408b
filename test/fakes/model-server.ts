/**
 * A model provider on loopback that does what the prompt says. One server speaks
 *   - OpenAI: `/v1/chat/completions`, `/v1/responses`, `/v1/models`, `/v1/embeddings`, and `/v1/rerank` as others have it
 *   - Anthropic: `/anthropic/v1/messages`, `…/messages/count_tokens`, `…/models`
 *   - Google: `/google/v1beta/models/<model>:generateContent`, `:streamGenerateContent`, `:batchEmbedContents`
 *
 * The last message of the user, or of a tool, decides by directives that may stand anywhere in it:
 *   [[say: text]]                 says it, in pieces of a word
 *   [[long: 500]]                 says 500 words
 *   [[quote: regex]]              says the first match in all that it was told (directives left out), or `nothing`
 *   [[see]]                       says how many images it was shown
 *   [[silent]]                    says nothing at all
 *   [[think: text]]               thinks it, before it speaks
 *   [[call: name {"json": 1}]]    calls a tool; several are parallel calls
 *   [[bad-arguments: name]]       calls a tool with arguments that are no JSON
 *   [[then]]                      what follows is the next step: after the results of the tools
 *   [[length]]                    stops because it may not write more
 *   [[slow: 20]]                  milliseconds before each piece
 *   [[status: 429]]               refuses; `[[status: 503 x2]]` only the first two times
 *   [[retry-after: 1]]            beside a refusal: the header
 *   [[fail-after: 3]]             the connection breaks after three pieces
 *   [[hang-after: 3]], [[hang]]   falls silent after three pieces, or before the first word, until the caller goes away
 *   [[cached: 10]], [[no-usage]]  what it counts
 * A directive may name the model that obeys it: `[[status@fake-chat: 503]]`. While the steps of a script last, messages
 * without directives do not end it. A request without tools that asks for a summary gets one, which keeps every mark
 * such as ALPHA-42. Everything else is answered with `You said: …`.
 *
 * Models whose name begins with `missing` do not exist. With `api_key` any other key is refused, and the refusal repeats
 * the key, as some providers do. With `context_window` a longer request is refused in the provider's own words.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicMessages } from './anthropic-messages.ts';
import { type Dialect, estimate, type FakeFailure, type Fields, fields, list, text } from './dialect.ts';
import { googleContent } from './google-content.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { type Scripted, Scripts } from './scripted-answer.ts';
import { relevance, wordVector } from './word-vectors.ts';

export interface ModelServerOptions {
  readonly port?: number;
  readonly api_key?: string;
  readonly context_window?: number;
  /** Those that are listed. */
  readonly models?: readonly string[];
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Fields;
  readonly model: string;
  /** Whether the caller went away before the answer was over. */
  aborted: boolean;
  answered: boolean;
}

export interface ModelServer {
  /** Ends with /v1. */
  readonly openai_url: string;
  /** Ends with /v1. */
  readonly anthropic_url: string;
  /** Ends with /v1beta. */
  readonly google_url: string;
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

export const fakeModels = ['fake-chat', 'fake-small', 'fake-embed', 'fake-rerank'];

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const fake = new FakeProvider(options);
  const server = createServer((request, response) => {
    fake
      .serve(request, response)
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    openai_url: `${origin}/v1`,
    anthropic_url: `${origin}/anthropic/v1`,
    google_url: `${origin}/google/v1beta`,
    requests: fake.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class FakeProvider {
  readonly requests: RecordedRequest[] = [];
  readonly #options: ModelServerOptions;
  readonly #scripts = new Scripts();

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://fake').pathname;
    const body = await bodyOf(request);
    const model = text(body.model) || (/\/models\/([^:/]+):/.exec(path)?.[1] ?? '');
    const { method = 'GET', headers } = request;
    const recorded: RecordedRequest = { method, path, headers, body, model, aborted: false, answered: false };
    this.requests.push(recorded);
    response.once('close', () => {
      recorded.answered = response.writableFinished;
      recorded.aborted = !response.writableFinished && !response.writableEnded;
    });
    const dialect = dialectOf(path);
    const refusal = this.#refusalOf(headers, model, body);
    if (refusal !== null) return json(response, refusal.status, dialect.failure(refusal));
    if (request.method === 'GET') return json(response, 200, this.#listed(path));
    if (path.endsWith('/embeddings')) return json(response, 200, embeddingsOf(body));
    if (path.endsWith(':batchEmbedContents') || path.endsWith(':embedContent'))
      return json(response, 200, googleVectors(body));
    if (path.endsWith('/rerank')) return json(response, 200, rankedOf(body));
    if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: estimate(body) });
    await this.#speak(dialect, { path, body, model }, response);
  }

  async #speak(
    dialect: Dialect,
    { path, body, model }: { path: string; body: Fields; model: string },
    response: ServerResponse,
  ): Promise<void> {
    const answer = this.#scripts.answer({ ...dialect.hear(body, path), model });
    if (answer.refusal !== null) {
      const { status, retry_after } = answer.refusal;
      if (retry_after !== null) response.setHeader('retry-after', retry_after);
      const message = `The fake provider was told to answer ${status}.`;
      return json(response, status, dialect.failure({ status, kind: 'told', message }));
    }
    if (answer.hang_after === -1) return gone(response);
    const about = { model, id: `fake-${this.requests.length}` };
    if (body.stream === true || path.endsWith(':streamGenerateContent'))
      return stream(dialect.stream(answer, about), answer, response);
    await delay(answer.slow);
    if (answer.fail_after !== null) return void response.destroy();
    if (answer.hang_after !== null) return gone(response);
    return json(response, 200, dialect.whole(answer, about));
  }

  #refusalOf(headers: IncomingMessage['headers'], model: string, body: Fields): FakeFailure | null {
    const { api_key, context_window } = this.#options;
    const key = text(headers['x-api-key']) || text(headers['x-goog-api-key']) || text(headers.authorization).slice(7);
    if (api_key !== undefined && key !== api_key) {
      return { status: 401, kind: 'key', message: `Incorrect API key provided: ${key}. Find yours in your account.` };
    }
    if (model.startsWith('missing')) {
      return { status: 404, kind: 'model', message: `The model ${model} does not exist.` };
    }
    const tokens = estimate(body);
    if (context_window !== undefined && tokens > context_window) {
      return {
        status: 400,
        kind: 'overflow',
        message: `prompt is too long: ${tokens} tokens > ${context_window} maximum`,
      };
    }
    return null;
  }

  #listed(path: string): Fields {
    const models = this.#options.models ?? fakeModels;
    if (path.startsWith('/google/')) return { models: models.map((name) => ({ name: `models/${name}` })) };
    return {
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', type: 'model', created: 0, owned_by: 'fake' })),
    };
  }
}

function dialectOf(path: string): Dialect {
  if (path.startsWith('/anthropic/')) return anthropicMessages;
  if (path.startsWith('/google/')) return googleContent;
  return path.endsWith('/responses') ? openaiResponses : openaiChat;
}

async function stream(
  { open, pieces, close }: ReturnType<Dialect['stream']>,
  { slow, fail_after, hang_after }: Scripted,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of open) response.write(event);
  for (const [index, piece] of pieces.entries()) {
    if (index === hang_after) return gone(response);
    if (index === fail_after) break;
    if (slow > 0) await delay(slow);
    if (response.destroyed) return;
    for (const event of piece) response.write(event);
  }
  if (fail_after !== null) return breakOff(response);
  for (const event of close) response.write(event);
  response.end();
}

/** What was written goes out first, so that the caller has it. */
async function breakOff(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => response.write(': breaks here\n\n', () => resolve()));
  response.socket?.resetAndDestroy();
}

function gone(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => response.once('close', () => resolve()));
}

function json(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const written = Buffer.concat(pieces).toString('utf8');
  return written === '' ? {} : fields(JSON.parse(written));
}

function embeddingsOf({ input, model }: Fields): Fields {
  const texts = typeof input === 'string' ? [input] : list(input).map(text);
  const data = texts.map((value, index) => ({ object: 'embedding', index, embedding: wordVector(value) }));
  const tokens = estimate(texts);
  return { object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

function googleVectors({ requests, content }: Fields): Fields {
  const words = (value: unknown) =>
    list(fields(value).parts)
      .map((part) => text(fields(part).text))
      .join(' ');
  if (content !== undefined) return { embedding: { values: wordVector(words(content)) } };
  return { embeddings: list(requests).map((one) => ({ values: wordVector(words(fields(one).content)) })) };
}

function rankedOf({ query, documents, top_n }: Fields): Fields {
  const results = list(documents).map((document, index) => ({
    index,
    relevance_score: relevance(text(query), text(document)),
  }));
  results.sort((one, other) => other.relevance_score - one.relevance_score);
  return { results: results.slice(0, typeof top_n === 'number' ? top_n : results.length) };
}
