import { z } from 'zod';

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: object; 'x-event-data'?: object }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Record<string, z.core.JSONSchema.JSONSchema> };
}

/** One answer of the host, as it was received. */
export interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** An OpenAPI document as a judge of answers: it knows nothing of the host but what the document says. */
export class ApiDocument {
  readonly #document: Document;
  readonly #defs: Record<string, z.core.JSONSchema.JSONSchema>;
  readonly #checks = new Map<string, z.ZodType>();

  /** `document`: as it was read from the wire. */
  constructor(document: unknown) {
    this.#document = document as Document;
    this.#defs = localised(this.#document.components.schemas);
  }

  get operationIds(): string[] {
    return this.#all().map(({ operationId }) => operationId);
  }

  /** What is wrong with an answer by the document; null when nothing is. */
  fault(operationId: string, { status, type, text }: Received): string | null {
    const response = this.#all().find((each) => each.operationId === operationId)?.responses[String(status)];
    if (response === undefined)
      return `${operationId} answers ${status}, which is not described: ${text.slice(0, 300)}`;
    const { content = {} } = response;
    if (Object.keys(content).length === 0) return text === '' ? null : `${operationId} ${status} should have no body`;
    const media = content[type] ?? content['application/octet-stream'];
    if (media === undefined) return `${operationId} ${status} has the media type ${type}`;
    if (type === 'application/json') return this.#misfit(media.schema, JSON.parse(text), `${operationId} ${status}`);
    const data = media['x-event-data'];
    if (type !== 'text/event-stream' || data === undefined) return null;
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    const faults = events.map((event) => this.#misfit(data, event, `an event of ${operationId}`));
    return faults.find((fault) => fault !== null) ?? null;
  }

  #all(): Described[] {
    return Object.values(this.#document.paths).flatMap((methods) => Object.values(methods));
  }

  #misfit(schema: object, value: unknown, what: string): string | null {
    const text = JSON.stringify(schema);
    let check = this.#checks.get(text);
    if (check === undefined) {
      check = z.fromJSONSchema({ ...localised(schema), $defs: this.#defs });
      this.#checks.set(text, check);
    }
    const { success, error } = check.safeParse(value);
    return success ? null : `${what}: ${z.prettifyError(error)}\n${JSON.stringify(value).slice(0, 1000)}`;
  }
}

/** References into the document's components become references into the schema's own definitions. */
function localised<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));
}
