import { hash } from 'node:crypto';
import type { GrantTerms } from '@rostra/kernel/grant/grant';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { JsonObject } from '@rostra/protocol/wire/json';
import type { ToldRun } from '../orchestrator/run-dossier.ts';
import type { DossierEntry, DossierTerms } from '../store/ports/dossier.ts';

/** What a run received, and may be read again. */
export interface Dossier {
  readonly context: JsonObject;
  readonly grant: JsonObject;
}

/**
 * Dossiers as texts. Most of what a run is told is the same for all runs of its agent: where that is so it is written
 * once, and the run names it.
 */
export class DossierTexts {
  readonly #conceal: (config: JsonObject) => JsonObject;
  readonly #terms = new WeakMap<GrantTerms, DossierTerms>();
  /** The configurations of agents are the same objects in all of their runs. */
  readonly #concealed = new WeakMap<JsonObject, JsonObject>();

  /** `conceal`: a runner's configuration without its secrets, which do not belong beside the conversation. */
  constructor(conceal: (config: JsonObject) => JsonObject) {
    this.#conceal = conceal;
  }

  write({ context, own, grant, terms }: ToldRun): DossierEntry {
    const { run_id, runner_id, agent_id, scope } = grant;
    if (grant.resources !== terms.resources) {
      const shown = { ...context, config: this.#configOf(context.config) };
      return { run_id, context: JSON.stringify(shown), grant: JSON.stringify(grant), terms: null };
    }
    const granted = { run_id, runner_id, agent_id, scope };
    return { run_id, context: own, grant: JSON.stringify(granted), terms: this.#termsOf(context, terms) };
  }

  read({ context, grant, terms }: Pick<DossierEntry, 'context' | 'grant' | 'terms'>): Dossier {
    const own = object(context);
    if (terms === null) return { context: own, grant: object(grant) };
    const { static_refs = {}, config = {}, granted = {} } = object(terms.text);
    const { resources = {}, apis = {} } = JsonObject.parse(granted);
    return {
      context: {
        ...own,
        resources,
        context: { ...JsonObject.parse(own.context), available_apis: apis },
        runtime: { ...JsonObject.parse(own.runtime), static_refs },
        config,
      },
      grant: { ...object(grant), ...JsonObject.parse(granted) },
    };
  }

  #termsOf({ config, runtime: { static_refs } }: AgentRunContext, granted: GrantTerms): DossierTerms {
    let terms = this.#terms.get(granted);
    if (terms === undefined) {
      const text = JSON.stringify({ granted, static_refs, config: this.#configOf(config) });
      terms = { id: hash('sha256', text), text };
      this.#terms.set(granted, terms);
    }
    return terms;
  }

  #configOf(config: JsonObject): JsonObject {
    let concealed = this.#concealed.get(config);
    if (concealed === undefined) {
      concealed = this.#conceal(config);
      this.#concealed.set(config, concealed);
    }
    return concealed;
  }
}

function object(text: string): JsonObject {
  return JsonObject.parse(JSON.parse(text));
}
