import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import type { BindingConfig } from '@rostra/protocol/config/entry-config';
import { EventSubmission } from '@rostra/protocol/run-api/event-submission';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { AgentCatalog, bindAgent } from '../../src/discovery/agent-catalog.ts';
import { EventGateway } from '../../src/entries/event-gateway.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { TestHost } from '../session/test-host.ts';

export const owner = { workspace_id: 'local', user_id: 'owner' };
export const somebody = { workspace_id: 'local', user_id: 'key:bridge' };

const agent = (agent_id: string) =>
  bindAgent({
    agent_id,
    runner_id: 'p/x/r',
    config: {},
    policy: AgentPolicy.parse({}),
    grants: AgentGrants.parse({}),
    bootstrap: AgentBootstrap.parse({}),
    source: 'file',
  });

/** Real sessions on a store, with the test in the place of the agents that the events reach. */
export class EntryWorld {
  readonly store: MemoryStore;
  readonly host: TestHost;
  readonly gateway: EventGateway;
  readonly agents: AgentCatalog;
  bindings: BindingConfig[];

  constructor(bindings: BindingConfig[] = [], store = new MemoryStore()) {
    this.store = store;
    this.host = new TestHost(store);
    this.bindings = bindings;
    const grants = AgentGrants.parse({});
    const names = ['chat', 'all', 'night', 'schedule:x', 'webhook:x'];
    this.agents = new AgentCatalog(['guide', 'scout'].map(agent), new Map(names.map((name) => [name, grants])));
    this.gateway = new EventGateway({
      sessions: this.host.gateway,
      artifacts: store.artifacts,
      agents: this.agents,
      clock: this.host.clock,
      bindings: () => this.bindings,
      roster: () => ['guide', 'scout'],
    });
  }

  /** Lets everything that is under way come to its end. */
  async settled<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    while (!isOver) {
      this.host.clock.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return work;
  }

  /** The same for what nobody waits for. */
  async rest(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      this.host.clock.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  send(body: unknown, principal = somebody) {
    return this.settled(this.gateway.accept(EventSubmission.parse(body), principal));
  }

  /** What agents were asked to answer. */
  inputs(): Extract<SessionMessage, { event: 'USER_INPUT' }>[] {
    return this.host.toAgents.filter((message) => message.event === 'USER_INPUT');
  }
}

export function event(more: object = {}, rest: object = {}): object {
  return { event: { event_id: 'e1', event_type: 'member.joined', source: 'telegram', ...more }, ...rest };
}

export function message(text: string, more: object = {}, rest: object = {}): object {
  return { ...event({ event_type: 'message.received', ...more }, rest), input: { text } };
}
