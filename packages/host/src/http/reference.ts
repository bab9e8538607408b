import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './openapi.ts';
import type { JsonSchema } from './openapi-components.ts';
import { script, style } from './reference-style.ts';
import { html } from './routes/plain-page.ts';

interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly format?: string;
  readonly description?: string;
}

const shapeOf = (schema: JsonSchema): Shape => schema;

/** A schema as one line of HTML; what has a name is a link to it. */
function typeOf(schema: JsonSchema): string {
  const {
    $ref,
    type,
    enum: words,
    anyOf,
    oneOf,
    allOf,
    items,
    additionalProperties,
    format,
    ...rest
  } = shapeOf(schema);
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `<a href="#${html(name)}">${html(name)}</a>`;
  }
  if ('const' in rest) return html(JSON.stringify(rest.const));
  if (words !== undefined) return words.map((word) => html(JSON.stringify(word))).join(' | ');
  const kinds = anyOf ?? oneOf;
  if (kinds !== undefined) return kinds.map(typeOf).join(' | ');
  if (allOf !== undefined) return allOf.map(typeOf).join(' &amp; ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    return `object of ${typeOf(additionalProperties)}`;
  }
  const name = typeof type === 'string' ? type : (type?.join(' | ') ?? 'anything');
  return html(format === undefined ? name : `${name} (${format})`);
}

function text(words: string): string {
  return html(words).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function row(name: string, schema: JsonSchema, isRequired: boolean, description: string | undefined): string {
  const fields = shapeOf(schema).properties === undefined ? '' : fieldsOf(schema);
  const mark = isRequired ? '' : ' <span class="dim">may be left out</span>';
  const says = description === undefined ? '' : `<p>${text(description)}</p>`;
  return `<dt><code>${html(name)}</code></dt><dd><code>${typeOf(schema)}</code>${mark}${says}${fields}</dd>`;
}

/** The keys of an object, each with what it takes. */
function fieldsOf(schema: JsonSchema): string {
  const { properties = {}, required = [] } = shapeOf(schema);
  const rows = Object.entries(properties).map(([name, each]) =>
    row(name, each, required.includes(name), shapeOf(each).description),
  );
  return rows.length === 0 ? '' : `<dl>${rows.join('')}</dl>`;
}

function shown(schema: JsonSchema): string {
  return shapeOf(schema).properties === undefined ? `<p><code>${typeOf(schema)}</code></p>` : fieldsOf(schema);
}

function parametersOf(parameters: readonly OpenApiParameter[]): string {
  const places = [
    ['path', 'In the path'],
    ['query', 'In the query'],
    ['header', 'In the headers'],
  ] as const;
  return places
    .map(([place, title]) => {
      const here = parameters.filter((parameter) => parameter.in === place);
      const rows = here.map(({ name, schema, required, description }) => row(name, schema, required, description));
      return rows.length === 0 ? '' : `<h3>${title}</h3><dl>${rows.join('')}</dl>`;
    })
    .join('');
}

function contentsOf(content: Readonly<Record<string, { schema?: JsonSchema; 'x-event-data'?: JsonSchema }>>): string {
  return Object.entries(content)
    .map(([type, { schema, 'x-event-data': data }]) => {
      const says = data === undefined ? '' : `<p>The data of each event: <code>${typeOf(data)}</code></p>`;
      const body = type === 'application/json' && schema !== undefined ? shown(schema) : says;
      return `<p class="dim"><code>${html(type)}</code></p>${body}`;
    })
    .join('');
}

function operationOf(method: string, path: string, operation: OpenApiOperation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const sent = requestBody === undefined ? '' : `<h3>Body</h3>${contentsOf(requestBody.content)}`;
  const isAnswer = ([status]: [string, unknown]) => Number(status) < 400;
  const entries = Object.entries(responses);
  const answers = entries.filter(isAnswer).map(([status, { description: says, content = {} }]) => {
    return `<dt><code>${status}</code></dt><dd><p>${text(says)}</p>${contentsOf(content)}</dd>`;
  });
  const refusals = entries
    .filter((entry) => !isAnswer(entry))
    .map(([status, { description: says }]) => `<dt><code>${status}</code></dt><dd>${text(says)}</dd>`);
  return `<details id="${html(operationId)}">
<summary><span class="method ${method}">${method}</span><code>${html(path)}</code><span class="what">${text(summary)}</span></summary>
<div><p class="dim"><code>${html(operationId)}</code></p>${description
    .split('\n\n')
    .map((part) => `<p>${text(part)}</p>`)
    .join('')}
${parametersOf(parameters)}${sent}
<h3>Answers</h3><dl>${answers.join('')}</dl>
<h3>Refusals</h3><dl>${refusals.join('')}</dl></div>
</details>`;
}

/** The document as a page that needs nothing from anywhere, and without a script only lacks its search. */
export function referencePage({ info, tags, paths, components }: OpenApiDocument): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const chapters = tags.map(({ name }) => {
    const here = all.filter(({ operation }) => operation.tags.includes(name));
    const items = here.map(({ method, path, operation }) => operationOf(method, path, operation));
    return `<section><h2>${html(name)}</h2>${items.join('\n')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const { description } = shapeOf(schema);
    const says = description === undefined ? '' : `<p>${text(description)}</p>`;
    return `<details id="${html(name)}"><summary><code>${html(name)}</code></summary><div>${says}${shown(schema)}</div></details>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(info.title)}: HTTP API</title>
<style>${style}</style>
</head>
<body>
<main>
<header><h1>${html(info.title)}: HTTP API</h1>
<p class="dim">${text(info.description)} Version ${html(info.version)}; the same as <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.</p></header>
<div class="search"><input type="search" aria-label="Search operations and schemas" placeholder="Search operations and schemas"></div>
<p class="none" hidden>Nothing has all of these words.</p>
${chapters.join('\n')}
<section><h2>Schemas</h2>${schemas.join('\n')}</section>
</main>
<script>${script}</script>
</body>
</html>
`;
}
