import { actionRequested } from '../interactions/action-effect.ts';
import { ActionTrail } from '../interactions/action-trail.ts';
import { ClientToolDesk } from '../interactions/client-tool-desk.ts';
import { ConsoleSurface } from '../interactions/console-surface.ts';
import { InteractionDesk } from '../interactions/interaction-desk.ts';
import { PlatformActions } from '../interactions/platform-actions.ts';
import { ToolApprovals } from '../interactions/tool-approvals.ts';
import type { ResultEffects } from '../orchestrator/result-effects.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import { interactionsFamily } from '../proxy/families/interactions.ts';
import { platformFamily } from '../proxy/families/platform.ts';
import { toolsFamily } from '../proxy/families/tools.ts';
import { ToolArtifacts } from '../proxy/tool-artifacts.ts';
import { ToolDesk, type ToolFinder } from '../proxy/tool-desk.ts';
import { ToolResults } from '../proxy/tool-results.ts';
import type { Clock } from '../session/clock.ts';
import type { HostStore } from '../store/host-store.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

export interface InboxSideOptions {
  readonly voice: RunVoice;
  readonly store: Pick<HostStore, 'interactions' | 'runs' | 'artifacts'>;
  readonly audit: { add(entry: AuditEntry): void };
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly newId: () => string;
  readonly report: (failure: unknown) => void;
  /** The tools of this host; none unless told. */
  readonly tools?: ToolFinder | undefined;
}

const noTools: ToolFinder = { find: () => null };

/** What puts the questions and actions of runs before people: the desk, and the two ways to it. */
export function inboxSide(options: InboxSideOptions) {
  const { voice, store, audit, clock, newId, report, tools = noTools } = options;
  const now = () => clock.now();
  const desk = new InteractionDesk({ voice, store: store.interactions, now, newId });
  const surfaces = [new ConsoleSurface({ voice, runs: store.runs })];
  const actions = new PlatformActions({ surfaces, desk, store: store.interactions, runs: store.runs });
  const effects: ResultEffects = {
    'action.requested': actionRequested({ desk, actions, trail: new ActionTrail(audit, now) }),
  };
  const { interactions, runs, artifacts } = store;
  const toolDesk = new ToolDesk({
    tools,
    clients: new ClientToolDesk({ desk, store: interactions, clock, newId }),
    approvals: new ToolApprovals({ desk, store: interactions, runs }),
    desk,
    results: new ToolResults(new ToolArtifacts({ artifacts, clock, newId })),
  });
  const services = {
    ...interactionsFamily({ desk, newId }),
    ...platformFamily({ actions, voice, report }),
    ...toolsFamily({ desk: toolDesk }),
  };
  return { desk, effects, services };
}
