import { createHash } from 'node:crypto';
import { type BootstrapPlan, bootstrapPlan, isTail } from '@rostra/kernel/context/bootstrap-plan';
import type { AgentParts } from '@rostra/kernel/context/run-context';
import { staticRefs } from '@rostra/kernel/context/static-refs';
import type { GrantTerms } from '@rostra/kernel/grant/grant';
import { grantTerms, type HostOffers, type Identities } from '@rostra/kernel/grant/grant-terms';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import type { AgentBinding } from '../discovery/agent-catalog.ts';
import { type AgentTexts, agentTexts } from './context-text.ts';

/** What the runs of one agent with the same identities have in common. */
interface RunParts {
  readonly terms: GrantTerms;
  readonly agent: AgentParts;
  readonly texts: AgentTexts;
  /** How many of the newest messages a run needs to know; 0: none, and nobody looks. */
  readonly recent: number;
  /** Only where the transcript ends is needed, not what stands there. */
  readonly needsEnd: boolean;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function identitiesOf({ conversation, actor, subject }: AgentEventEnvelope): Identities {
  return {
    bot: conversation !== null && conversation.bot_id !== null,
    actor: actor !== null && actor.actor_id !== null,
    subject: subject !== null && subject.subject_id !== null,
  };
}

/** The message of the turn itself, and one before it: enough to know where history ends and whether there is any. */
const HANDLES = 2;

/** What does not change from run to run of one agent revision: computed once, and the same objects for all of them. */
class RunPlan {
  readonly #binding: AgentBinding;
  readonly #manifest: AgentRunnerManifest;
  readonly #offers: HostOffers;
  readonly #peers: readonly string[];
  readonly #bootstrap: BootstrapPlan;
  readonly #parts: (RunParts | undefined)[] = [];

  constructor(binding: AgentBinding, manifest: AgentRunnerManifest, offers: HostOffers, peers: readonly string[]) {
    this.#binding = binding;
    this.#manifest = manifest;
    this.#offers = offers;
    this.#peers = peers.filter((agent_id) => agent_id !== binding.agent_id);
    this.#bootstrap = bootstrapPlan(manifest.context, binding.bootstrap);
  }

  partsFor(envelope: AgentEventEnvelope): RunParts {
    const identities = identitiesOf(envelope);
    const index = (identities.bot ? 4 : 0) + (identities.actor ? 2 : 0) + (identities.subject ? 1 : 0);
    const known = this.#parts[index];
    if (known !== undefined) return known;
    const parts = this.#make(identities);
    this.#parts[index] = parts;
    return parts;
  }

  #make(identities: Identities): RunParts {
    const { agent_id, runner_id, config, grants, policy, tools } = this.#binding;
    const { context } = this.#manifest;
    const terms = grantTerms({
      manifest: this.#manifest,
      grants,
      steering: policy.steering,
      prompt: this.#binding.prompt !== undefined,
      tools,
      offers: this.#offers,
      peers: this.#peers,
      identities,
    });
    const content = { agent_id, runner_id, config, grants, terms };
    const static_refs = context.wants_static_context_refs ? staticRefs(content, sha256) : {};
    const bootstrap = this.#bootstrap;
    const canRead = terms.apis.history_page || terms.apis.history_search;
    const handles = canRead ? HANDLES : 0;
    const isInlined = isTail(bootstrap.mode);
    const recent = isInlined ? bootstrap.max_items + 1 : handles;
    const agent = { config, bootstrap, static_refs };
    return { terms, agent, texts: agentTexts(terms, agent), recent, needsEnd: canRead && !isInlined };
  }
}

/** The plans of all agents, by the runner that executes them; what is replaced is forgotten with its binding. */
export class RunPlans {
  readonly offers: HostOffers;
  readonly #peers: () => readonly string[];
  readonly #plans = new WeakMap<AgentRunnerManifest, WeakMap<AgentBinding, RunPlan>>();

  /** `peers` are asked for with every agent that is bound anew. */
  constructor(offers: HostOffers, peers: () => readonly string[] = () => []) {
    this.offers = offers;
    this.#peers = peers;
  }

  of(binding: AgentBinding, manifest: AgentRunnerManifest): RunPlan {
    let byBinding = this.#plans.get(manifest);
    if (byBinding === undefined) {
      byBinding = new WeakMap();
      this.#plans.set(manifest, byBinding);
    }
    let plan = byBinding.get(binding);
    if (plan === undefined) {
      plan = new RunPlan(binding, manifest, this.offers, this.#peers());
      byBinding.set(binding, plan);
    }
    return plan;
  }
}
