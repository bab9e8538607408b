import * as agentApi from '@rostra/protocol/run-api/agent-api';
import * as aguiEvent from '@rostra/protocol/run-api/agui-event';
import * as aguiInput from '@rostra/protocol/run-api/agui-input';
import * as attachment from '@rostra/protocol/run-api/attachment';
import * as auditApi from '@rostra/protocol/run-api/audit-api';
import * as capabilities from '@rostra/protocol/run-api/capabilities';
import * as capabilityProblem from '@rostra/protocol/run-api/capability-problem';
import * as copilotkit from '@rostra/protocol/run-api/copilotkit';
import * as eventSubmission from '@rostra/protocol/run-api/event-submission';
import * as history from '@rostra/protocol/run-api/history';
import * as hostStatus from '@rostra/protocol/run-api/host-status';
import * as interaction from '@rostra/protocol/run-api/interaction';
import * as key from '@rostra/protocol/run-api/key';
import * as knowledgeApi from '@rostra/protocol/run-api/knowledge-api';
import * as modelApi from '@rostra/protocol/run-api/model-api';
import * as runAgentInput from '@rostra/protocol/run-api/run-agent-input';
import * as runDossier from '@rostra/protocol/run-api/run-dossier';
import * as runnerApi from '@rostra/protocol/run-api/runner-api';
import * as sessionApi from '@rostra/protocol/run-api/session-api';
import * as sessionEvent from '@rostra/protocol/run-api/session-event';
import * as setting from '@rostra/protocol/run-api/setting';
import * as task from '@rostra/protocol/run-api/task';
import * as toolApi from '@rostra/protocol/run-api/tool-api';
import * as uiSchema from '@rostra/protocol/run-api/ui-schema';
import * as usage from '@rostra/protocol/run-api/usage';
import * as apiError from '@rostra/protocol/wire/api-error';
import * as json from '@rostra/protocol/wire/json';
import { z } from 'zod';

const modules: readonly object[] = [
  json,
  apiError,
  agentApi,
  aguiEvent,
  aguiInput,
  attachment,
  auditApi,
  capabilities,
  capabilityProblem,
  copilotkit,
  eventSubmission,
  history,
  hostStatus,
  interaction,
  key,
  knowledgeApi,
  modelApi,
  runAgentInput,
  runDossier,
  runnerApi,
  sessionApi,
  sessionEvent,
  setting,
  task,
  toolApi,
  uiSchema,
  usage,
];

export type JsonSchema = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

/** Every schema of the API that has a name, by that name; of two exports that are one schema the first names it. */
function named(): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  const taken = new Set<string>();
  for (const [name, value] of modules.flatMap((module) => Object.entries(module))) {
    if (!(value instanceof z.ZodType) || !/^[A-Z]/.test(name) || names.has(value)) continue;
    if (taken.has(name)) throw new Error(`two schemas of the API are called ${name}`);
    taken.add(name);
    names.set(value, name);
  }
  return names;
}

/**
 * Schemas as JSON Schema, for one direction: what is sent may leave out what has a default, what is answered does not.
 * Those with names refer to each other by them.
 */
export class Components {
  readonly #io: 'input' | 'output';
  readonly #suffix: string;
  readonly #names = named();
  readonly #others = new Map<z.ZodType, string>();
  #made: ReadonlyMap<string, JsonSchema> | null = null;

  constructor(io: 'input' | 'output') {
    this.#io = io;
    this.#suffix = io === 'input' ? 'Input' : '';
  }

  /** Announces a schema that `of` will be asked for. */
  add(schema: z.ZodType): void {
    if (this.#names.has(schema) || this.#others.has(schema)) return;
    this.#others.set(schema, `anonymous${this.#others.size}`);
  }

  /** A reference to a schema that has a name, the schema itself otherwise. */
  of(schema: z.ZodType): JsonSchema {
    const name = this.#names.get(schema);
    if (name !== undefined) return { $ref: `${PREFIX}${name}${this.#suffix}` };
    const made = this.#all().get(this.#others.get(schema) ?? '');
    if (made === undefined) throw new Error('a schema was asked for that nobody announced');
    return made;
  }

  /** Those with names, as they stand among the components. */
  get schemas(): ReadonlyMap<string, JsonSchema> {
    const own = new Set([...this.#names.values()].map((name) => `${name}${this.#suffix}`));
    return new Map([...this.#all()].filter(([name]) => own.has(name)));
  }

  #all(): ReadonlyMap<string, JsonSchema> {
    this.#made ??= this.#make();
    return this.#made;
  }

  #make(): ReadonlyMap<string, JsonSchema> {
    const registry = z.registry<{ id: string }>();
    for (const [schema, name] of this.#names) registry.add(schema, { id: `${name}${this.#suffix}` });
    for (const [schema, name] of this.#others) registry.add(schema, { id: name });
    const { schemas } = z.toJSONSchema(registry, {
      target: 'draft-2020-12',
      io: this.#io,
      unrepresentable: 'throw',
      uri: (id) => `${PREFIX}${id}`,
    });
    if ('__shared' in schemas) throw new Error('a schema that refers to itself needs a name');
    return new Map(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
  }
}

/** Without what only a schema of its own needs. */
function plain({ $schema: _, $id: __, id: ___, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** Names in both directions for the same thing become one. */
export function merged(output: ReadonlyMap<string, JsonSchema>, input: ReadonlyMap<string, JsonSchema>) {
  const same = new Set([...input.keys()].map((name) => name.slice(0, -'Input'.length)));
  const aligned = (text: string) => text.replace(/(#\/components\/schemas\/)(\w+)Input"/g, '$1$2"');
  const refersToOther = (text: string) =>
    [...text.matchAll(/#\/components\/schemas\/(\w+?)(?:Input)?"/g)].some(([, name = '']) => !same.has(name));
  for (let before = -1; before !== same.size; ) {
    before = same.size;
    for (const name of [...same]) {
      const text = JSON.stringify(input.get(`${name}Input`));
      if (aligned(text) !== JSON.stringify(output.get(name)) || refersToOther(text)) same.delete(name);
    }
  }
  const kept = [...output, ...[...input].filter(([name]) => !same.has(name.slice(0, -'Input'.length)))];
  return { schemas: kept.sort(([a], [b]) => (a < b ? -1 : 1)), same };
}
