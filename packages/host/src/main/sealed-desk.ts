import type { CapabilityProblem } from '@rostra/protocol/run-api/capability-problem';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { SealedRegistry, StoredEntry } from '../config/sealed-registry.ts';
import { splitSecrets } from '../config/secret-parts.ts';
import type { ExpectedRevision } from '../http/revision.ts';
import type { Principal } from '../session/session-gateway.ts';
import { type AdminTrail, tellAct } from './admin-act.ts';
import { changed, described } from './secret-change.ts';

/** How people are told of one kind of thing. */
export interface SealedWords {
  /** `model`, and the first word of what is written down of acts. */
  readonly noun: string;
  readonly act: string;
  readonly exists: CapabilityReason;
  readonly read_only: CapabilityReason;
  readonly list: string;
}

export interface SealedDeskOptions<Config> extends AdminTrail {
  readonly registry: SealedRegistry<Config>;
  readonly words: SealedWords;
  /** Lets new runs see what changed, and the log keep it secret. */
  readonly apply: () => Promise<void>;
  /** Where one comes from that neither the file nor a person described; null when there is none. */
  readonly elsewhere: (id: string) => string | null;
}

/** Makes, changes and deletes what people describe at run time, secrets included. */
export class SealedDesk<Config> {
  readonly #options: SealedDeskOptions<Config>;

  constructor(options: SealedDeskOptions<Config>) {
    this.#options = options;
  }

  async create(id: string, config: JsonObject, by: Principal): Promise<void> {
    const { registry, words } = this.#options;
    if (Object.hasOwn(registry.named, id)) throw this.#namedByFile(id);
    if (registry.entries.some((entry) => entry.id === id)) {
      const message = `There is a ${words.noun} ${JSON.stringify(id)} already.`;
      throw refused(words.exists, message, `Choose another id, or change that ${words.noun}.`);
    }
    const given = described(config, registry.what.parts);
    await registry.put(id, given, this.#change(by, null));
    await this.#told(id, 'create', by);
  }

  async change(id: string, patch: JsonObject, expected: ExpectedRevision, by: Principal): Promise<void> {
    const { registry } = this.#options;
    const before = this.#own(id);
    if (before.locked !== null && !this.#bringsSecrets(patch)) throw before.locked;
    const given = changed(before.given, patch, registry.what.parts);
    // Another change may come between reading and writing: what was read must still stand.
    const revision = typeof expected === 'number' ? expected : before.revision;
    await registry.put(id, given, this.#change(by, revision));
    await this.#told(id, 'change', by);
  }

  async remove(id: string, expected: ExpectedRevision, by: Principal): Promise<void> {
    this.#own(id);
    const revision = typeof expected === 'number' ? expected : undefined;
    await this.#options.registry.remove(id, this.#change(by, revision));
    await this.#told(id, 'delete', by);
  }

  notFound(): ApiError {
    const { noun, list } = this.#options.words;
    return new ApiError('not_found', `there is no such ${noun}`, {
      details: { hint: `GET ${list} lists those that there are.` },
    });
  }

  /** One that was made at run time; any other can be changed elsewhere only. */
  #own(id: string): StoredEntry<Config> {
    const { registry, words, elsewhere } = this.#options;
    const entry = registry.entries.find((each) => each.id === id);
    if (entry !== undefined) return entry;
    if (Object.hasOwn(registry.named, id)) throw this.#namedByFile(id);
    const where = elsewhere(id);
    if (where === null) throw this.notFound();
    const message = `The ${words.noun} ${JSON.stringify(id)} comes from ${where} and cannot be changed here.`;
    throw refused(words.read_only, message, `POST ${words.list} makes one of this id that takes its place.`);
  }

  #namedByFile(id: string): ApiError {
    const { noun, read_only } = this.#options.words;
    return refused(
      read_only,
      `The ${noun} ${JSON.stringify(id)} is named in the configuration file and cannot be changed here.`,
      'Change the file and run `rostra reload`, or use another id.',
    );
  }

  /** What cannot be opened can be replaced, but nothing of it can be kept. */
  #bringsSecrets(patch: JsonObject): boolean {
    return Object.keys(splitSecrets(patch, this.#options.registry.what.parts).secret).length > 0;
  }

  #change({ user_id }: Principal, expected: number | null | undefined) {
    return { at: this.#options.now(), by: `user:${user_id}`, ...(expected !== undefined && { expected }) };
  }

  /** Of what was changed only that it was: descriptions hold secrets. */
  async #told(id: string, act: 'create' | 'change' | 'delete', by: Principal): Promise<void> {
    const { words, apply } = this.#options;
    tellAct(this.#options, by, `${words.act}.${act}`, id);
    await apply();
  }
}

/** The same where it is no refusal but told of something that is there. */
export function problemOf({ message, details: { reason, hint } }: ApiError): CapabilityProblem {
  return { reason: CapabilityReason.parse(reason), message, hint: typeof hint === 'string' ? hint : null };
}

function refused(reason: CapabilityReason, message: string, hint: string): ApiError {
  return new ApiError('invalid_argument', message, { details: { reason, hint } });
}
