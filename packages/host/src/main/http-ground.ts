import type { Bus } from '../bus/port.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';
import type { Principal, SessionGateway } from '../session/session-gateway.ts';
import type { SessionRuntime } from '../session/session-runtime.ts';
import type { HostStore } from '../store/host-store.ts';
import type { AccessSide } from './access-side.ts';
import type { CapabilitySide } from './capability-side.ts';
import type { EntrySide } from './entry-side.ts';
import type { HostAgents } from './host-agents.ts';
import type { HostLog } from './host-log.ts';
import type { HostWatch } from './host-watch.ts';
import type { LiveConfig } from './live-config.ts';
import type { ProxySide } from './proxy-side.ts';
import type { Settings } from './settings.ts';
import type { StoreKeeping } from './store-keeping.ts';
import type { SystemClock } from './system-clock.ts';

/** What HTTP shows of a host. */
export interface HttpGround {
  readonly version: string;
  readonly owner: Principal;
  /** The owner's key. */
  readonly key: string;
  readonly settings: Settings;
  readonly live: LiveConfig;
  readonly log: HostLog;
  readonly store: HostStore;
  readonly clock: SystemClock;
  readonly bus: Bus;
  readonly agents: HostAgents;
  readonly orchestrator: Orchestrator;
  readonly runtime: SessionRuntime;
  readonly gateway: SessionGateway;
  readonly proxy: ProxySide;
  readonly capabilities: CapabilitySide;
  readonly entries: EntrySide;
  readonly keeping: StoreKeeping;
  readonly access: AccessSide;
  readonly watch: HostWatch;
  isDraining(): boolean;
}
