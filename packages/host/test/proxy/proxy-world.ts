import type { ApiDoor, IncomingCall } from '../../src/orchestrator/api-door.ts';
import type { ApiServices } from '../../src/proxy/api-family.ts';
import { CallMeter } from '../../src/proxy/call-meter.ts';
import { AgentRunAPIProxy } from '../../src/proxy/gate.ts';
import { RefusalCount } from '../../src/proxy/refusal-count.ts';
import type { AuditEntry } from '../../src/store/ports/audit.ts';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World, type WorldOptions } from '../orchestrator/world.ts';
import { everything } from './gate-bench.ts';

/** What one step of a runner came to. */
export interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly chunks?: readonly unknown[];
}

/** Real runner processes that call the real gate, behind which are services of the test's own. */
export class ProxyWorld {
  readonly rows: AuditEntry[] = [];
  /** Every call as it reached the gate. */
  readonly calls: IncomingCall[] = [];
  readonly world: World;

  constructor(services: ApiServices, options: WorldOptions = {}) {
    const clock = new ManualClock();
    const gate = new AgentRunAPIProxy({
      services,
      workspace_id: 'default',
      clock,
      meter: new CallMeter(),
      audit: { add: (row) => void this.rows.push(row) },
      refusals: new RefusalCount({
        clock,
        fail: (run_id, failure) => void this.world.orchestrator.voice.fail(run_id, failure),
        quarantine: (name, why) => void this.world.pool.quarantine(name, why),
      }),
    });
    const door: ApiDoor = {
      call: (call) => {
        this.calls.push(call);
        return gate.call(call);
      },
    };
    this.world = new World(fixture('caller'), clock, { offers: everything, door, ...options });
  }

  /** A turn whose runner does these steps. */
  begin(...steps: object[]): string {
    return this.world.input(JSON.stringify(steps));
  }

  /** Makes these calls in one run, which ends then; what became of them. */
  async replies(...steps: object[]): Promise<Reply[]> {
    const turn = this.begin(...steps, { tell: true }, { end: true });
    const { payload } = await this.world.heard(turn, 'message');
    await this.world.heard(turn, 'final');
    return payload.content as unknown as Reply[];
  }

  /** What a runner that had no run left to tell it has printed. */
  async printed(): Promise<Reply[]> {
    const { logged } = this.world;
    await this.world.logs(() => logged.some(({ kind }) => kind === 'stderr'));
    const [line] = logged.filter(({ kind }) => kind === 'stderr');
    return JSON.parse(JSON.parse(line?.text ?? '"[]"'));
  }
}
