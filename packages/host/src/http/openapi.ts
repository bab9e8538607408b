import type { Operation } from '@rostra/protocol/run-api/operation';
import { operations } from '@rostra/protocol/run-api/operations';
import { AgentAPIError } from '@rostra/protocol/wire/api-error';
import type { z } from 'zod';
import { Components, type JsonSchema, merged } from './openapi-components.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly securitySchemes: JsonSchema;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonSchema[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: OpenApiBody;
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiBody {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly 'x-event-data'?: JsonSchema }>>;
}

/** What any operation may refuse with (RA-9.13 to RA-9.19), and what each status says. */
const refusedBy: Readonly<Record<number, string>> = {
  400: 'The request is not HTTP or JSON as it should be',
  401: 'No valid credential',
  403: 'The credential is for something else, or the page is of another site',
  404: 'There is no such thing, or it is somebody else’s',
  406: 'The answer has no such media type',
  409: 'It does not fit what is there',
  410: 'It is gone',
  412: 'It was changed meanwhile',
  413: 'The body is too large',
  415: 'The body has another media type',
  416: 'There are no such bytes',
  422: 'A rule is broken',
  426: 'This is a websocket',
  429: 'Too much at once; `Retry-After` says when again',
  431: 'The headers are too large',
  500: 'The host failed',
  503: 'Not now; `Retry-After` says when again',
};
const always = [400, 401, 403, 406, 429, 500, 503];
const done: Readonly<Record<number, string>> = {
  101: 'The connection is a websocket now',
  200: 'Done',
  201: 'Made',
  202: 'Taken',
  204: 'Done; there is nothing to say',
  206: 'A part of the bytes',
};

interface Both {
  readonly output: Components;
  readonly input: Components;
}

function answerOf(operation: Operation, status: number, schema: z.ZodType | null, { output }: Both): OpenApiResponse {
  const description = done[status] ?? `Status ${status}`;
  const content: Record<string, { schema: JsonSchema; 'x-event-data'?: JsonSchema }> = {};
  if (schema !== null) content['application/json'] = { schema: output.of(schema) };
  if (status === 200 && operation.events !== undefined) {
    const data = output.of(operation.events);
    content['text/event-stream'] = { schema: { type: 'string' }, 'x-event-data': data };
  }
  if (operation.gives !== undefined && status < 300 && status !== 204) {
    content[operation.gives] = { schema: { type: 'string', contentMediaType: operation.gives } };
  }
  return Object.keys(content).length === 0 ? { description } : { description, content };
}

function responsesOf(operation: Operation, both: Both): Record<string, OpenApiResponse> {
  const refusal = { 'application/json': { schema: both.output.of(AgentAPIError) } };
  // A stream has status 200, also where it is the other of two answers.
  const given = { ...(operation.events !== undefined && { 200: null }), ...operation.answers };
  const answers = Object.entries(given).map(([status, schema]): [string, OpenApiResponse] => [
    status,
    answerOf(operation, Number(status), schema, both),
  ]);
  const statuses = [...new Set([...always, ...operation.refusals])].sort((a, b) => a - b);
  const refusals = statuses.map((status): [string, OpenApiResponse] => [
    String(status),
    { description: refusedBy[status] ?? `Status ${status}`, content: refusal },
  ]);
  return Object.fromEntries([...answers, ...refusals]);
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

interface ObjectShape {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** The parameters of one place: each key of the object is one. */
function parametersIn(place: 'query' | 'header', object: z.ZodObject | undefined, { input }: Both): OpenApiParameter[] {
  if (object === undefined) return [];
  const { properties = {}, required = [] }: ObjectShape = input.of(object);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function bodyOf({ body, takes, bytes }: Operation, { input }: Both): OpenApiBody | null {
  const described = bytes === undefined ? {} : { description: `At most ${bytes} bytes.` };
  if (takes !== undefined) {
    return {
      required: true,
      ...described,
      content: { [takes]: { schema: { type: 'string', contentMediaType: takes } } },
    };
  }
  if (body === undefined) return null;
  const required = !body.safeParse(undefined).success;
  return { required, ...described, content: { 'application/json': { schema: input.of(body) } } };
}

function securityOf({ scope }: Operation): JsonSchema[] {
  if (scope === null) return [];
  const scopes = scope === 'any' ? [] : [scope];
  return [{ key: scopes }, { login: [] }];
}

const needed: Readonly<Record<string, string>> = { none: 'Needs no key.', any: 'Needs any key.' };

function described({ scope, description }: Operation): string {
  const needs = needed[scope ?? 'none'] ?? `Needs the scope \`${scope}\`.`;
  return description === undefined ? needs : `${description}\n\n${needs}`;
}

function operationOf(operation: Operation, both: Both): OpenApiOperation {
  const parameters: OpenApiParameter[] = [
    ...namesIn(operation.path).map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      schema: { type: 'string' },
    })),
    ...parametersIn('query', operation.query, both),
    ...parametersIn('header', operation.headers, both),
  ];
  const requestBody = bodyOf(operation, both);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: described(operation),
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== null && { requestBody }),
    responses: responsesOf(operation, both),
  };
}

/** Schemas have to be announced before any of them is asked for: they refer to each other. */
function announce(all: readonly Operation[]): Both {
  const both = { output: new Components('output'), input: new Components('input') };
  both.output.add(AgentAPIError);
  for (const { answers, events, body, query, headers } of all) {
    for (const schema of [...Object.values(answers), events]) if (schema != null) both.output.add(schema);
    for (const schema of [body, query, headers]) if (schema !== undefined) both.input.add(schema);
  }
  return both;
}

/** Names of things that are sent and answered alike become one; nothing stays that nothing refers to. */
function tidied(document: OpenApiDocument, { output, input }: Both): OpenApiDocument {
  const { schemas, same } = merged(output.schemas, input.schemas);
  const renamed = (text: string) =>
    text.replace(/(#\/components\/schemas\/)(\w+)Input"/g, (whole, prefix: string, name: string) =>
      same.has(name) ? `${prefix}${name}"` : whole,
    );
  const paths = renamed(JSON.stringify(document.paths));
  const all = new Map(schemas.map(([name, schema]) => [name, renamed(JSON.stringify(schema))]));
  const used = new Set<string>();
  const use = (from: string) => {
    for (const [, name = ''] of from.matchAll(/#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      const text = all.get(name);
      if (text === undefined) throw new Error(`an answer refers to ${name}, which is not among the named schemas`);
      used.add(name);
      use(text);
    }
  };
  use(paths);
  const kept = [...all].filter(([name]) => used.has(name)).map(([name, text]) => [name, JSON.parse(text)]);
  return {
    ...document,
    paths: JSON.parse(paths),
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  };
}

/** The whole API as an OpenAPI 3.1 document, made of the operations that the routes are made of. */
export function openApiDocument(version: string): OpenApiDocument {
  const all: readonly Operation[] = Object.values(operations);
  const both = announce(all);
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of all) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationOf(operation, both),
    };
  }
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'Rostra',
      version,
      description:
        'One host for every agent. Every refusal has the same body: `code`, `message`, `retryable`, `details`.',
    },
    tags: [...new Set(all.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of this host.' },
        login: {
          type: 'apiKey',
          in: 'cookie',
          name: 'rostra',
          description: 'The cookie that a login link sets; its name is of the host’s own making.',
        },
      },
      schemas: {},
    },
  };
  return tidied(document, both);
}
