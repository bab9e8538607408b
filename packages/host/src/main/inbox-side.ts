import { actionRequested } from '../interactions/action-effect.ts';
import { ActionTrail } from '../interactions/action-trail.ts';
import { ClientToolDesk } from '../interactions/client-tool-desk.ts';
import { ConsoleSurface } from '../interactions/console-surface.ts';
import { InteractionDesk } from '../interactions/interaction-desk.ts';
import { PlatformActions } from '../interactions/platform-actions.ts';
import type { ResultEffects } from '../orchestrator/result-effects.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import { interactionsFamily } from '../proxy/families/interactions.ts';
import { platformFamily } from '../proxy/families/platform.ts';
import { toolsFamily } from '../proxy/families/tools.ts';
import type { Clock } from '../session/clock.ts';
import type { HostStore } from '../store/host-store.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

export interface InboxSideOptions {
  readonly voice: RunVoice;
  readonly store: Pick<HostStore, 'interactions' | 'runs'>;
  readonly audit: { add(entry: AuditEntry): void };
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly newId: () => string;
  readonly report: (failure: unknown) => void;
}

/** What puts the questions and actions of runs before people: the desk, and the two ways to it. */
export function inboxSide({ voice, store, audit, clock, newId, report }: InboxSideOptions) {
  const now = () => clock.now();
  const desk = new InteractionDesk({ voice, store: store.interactions, now, newId });
  const surfaces = [new ConsoleSurface({ voice, runs: store.runs })];
  const actions = new PlatformActions({ surfaces, desk, store: store.interactions, runs: store.runs });
  const effects: ResultEffects = {
    'action.requested': actionRequested({ desk, actions, trail: new ActionTrail(audit, now) }),
  };
  const clientTools = new ClientToolDesk({ desk, store: store.interactions, clock, newId });
  const services = {
    ...interactionsFamily({ desk, newId }),
    ...platformFamily({ actions, voice, report }),
    ...toolsFamily({ desk: clientTools }),
  };
  return { desk, effects, services };
}
