import { hash } from 'node:crypto';
import { emptyState } from '@rostra/kernel/context/run-context';
import type { Grant, GrantTerms } from '@rostra/kernel/grant/grant';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { JsonObject } from '@rostra/protocol/wire/json';
import type { ToldRun } from '../orchestrator/run-dossier.ts';
import type { DossierEntry, DossierTerms } from '../store/ports/dossier.ts';

/** What a run received, and may be read again. */
export interface Dossier {
  readonly context: JsonObject;
  readonly grant: JsonObject;
}

type Delivery = AgentRunContext['delivery'];

/** What the runs of one agent need not keep each for itself. */
interface Shared {
  readonly terms: DossierTerms;
  /** How the answers of most of them go back. */
  readonly delivery: Delivery | null;
}

/**
 * Dossiers as texts. Most of what a run is told is the same for all runs of its agent: where that is so it is written
 * once, and the run names it.
 */
export class DossierTexts {
  readonly #conceal: (config: JsonObject) => JsonObject;
  readonly #shared = new WeakMap<GrantTerms, Shared>();
  /** The configurations of agents are the same objects in all of their runs. */
  readonly #concealed = new WeakMap<JsonObject, JsonObject>();

  /** `conceal`: a runner's configuration without its secrets, which do not belong beside the conversation. */
  constructor(conceal: (config: JsonObject) => JsonObject) {
    this.#conceal = conceal;
  }

  write({ context, own, grant, terms }: ToldRun): DossierEntry {
    const { run_id, scope } = grant;
    if (grant.resources !== terms.resources) {
      const shown = { ...context, config: this.#configOf(context.config) };
      return { run_id, context: JSON.stringify(shown), grant: JSON.stringify(grant), terms: null };
    }
    const shared = this.#sharedOf(context, grant, terms);
    // Compared as objects: nobody looks into what is nearly always the very same one.
    const delivery = context.delivery === shared.delivery ? '' : `,"delivery":${JSON.stringify(context.delivery)}`;
    const state = context.state === emptyState ? '' : `,"state":${JSON.stringify(context.state)}`;
    // What is unusual stands behind the rest.
    const kept = delivery === '' && state === '' ? own : `${own.slice(0, -1)}${delivery}${state}}`;
    return { run_id, context: kept, grant: JSON.stringify({ scope }), terms: shared.terms };
  }

  /** Rows of older hosts say more of it themselves, which is what counts. */
  read({ run_id, context, grant, terms }: DossierEntry): Dossier {
    const own = object(context);
    if (terms === null) return { context: own, grant: object(grant) };
    const { static_refs = {}, config = {}, granted = {}, usual = {}, ...named } = object(terms.text);
    const { resources = {}, apis = {} } = JsonObject.parse(granted);
    return {
      context: {
        run_id,
        ...JsonObject.parse(usual),
        ...own,
        resources,
        context: { ...JsonObject.parse(own.context), available_apis: apis },
        runtime: { ...JsonObject.parse(own.runtime), static_refs },
        config,
      },
      grant: { run_id, ...named, ...object(grant), ...JsonObject.parse(granted) },
    };
  }

  #sharedOf(context: AgentRunContext, { runner_id, agent_id }: Grant, granted: GrantTerms): Shared {
    let shared = this.#shared.get(granted);
    if (shared === undefined) {
      const { static_refs } = context.runtime;
      const delivery = namesNobody(context.delivery) ? context.delivery : null;
      const usual = delivery === null ? { state: emptyState } : { state: emptyState, delivery };
      const config = this.#configOf(context.config);
      const text = JSON.stringify({ runner_id, agent_id, granted, static_refs, config, usual });
      shared = { terms: { id: hash('sha256', text), text }, delivery };
      this.#shared.set(granted, shared);
    }
    return shared;
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

/** What is shared stays when the runs go, and may tell nothing of whom they were for. */
function namesNobody({ reply_target, platform_capabilities }: Delivery): boolean {
  return reply_target === null && Object.keys(platform_capabilities).length === 0;
}

function object(text: string): JsonObject {
  return JsonObject.parse(JSON.parse(text));
}
