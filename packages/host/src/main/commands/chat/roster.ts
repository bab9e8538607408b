import { type RostraClient, RostraError } from '@rostra/client';
import type { AgentItem } from '@rostra/protocol/run-api/agent-api';
import type { SessionSnapshot } from '@rostra/protocol/run-api/session-api';
import { short, table } from '../printing.ts';
import type { Terminal } from './terminal.ts';

/** Who is in the talk, and who could be. */
export class Roster {
  readonly #client: RostraClient;
  readonly #terminal: Terminal;

  constructor(client: RostraClient, terminal: Terminal) {
    this.#client = client;
    this.#terminal = terminal;
  }

  /** An agent by its id or name. */
  async find(name: string): Promise<AgentItem> {
    const { items } = await this.#client.agents.list();
    const said = name.replace(/^@/, '').toLowerCase();
    const found =
      items.find(({ id }) => id.toLowerCase() === said) ?? items.find((agent) => agent.name.toLowerCase() === said);
    if (found !== undefined) return found;
    const hint = `There are ${items.map(({ id }) => id).join(', ')}.`;
    throw new RostraError(404, 'not_found', `there is no agent ${JSON.stringify(name)}`, { details: { hint } });
  }

  async show(sessionId: string): Promise<void> {
    const { items } = await this.#client.agents.list();
    const session = await this.#session(sessionId);
    const agents = items.map((agent) => ({ ...agent, ...placeOf(session, agent.id) }));
    this.#terminal.tell({ agents }, () => {
      const rows = agents.map(({ id, isHere, isActive, name, description }) => {
        const here = isHere ? 'yes' : '';
        return [id, isActive ? 'active' : here, name, short(description ?? '', 50)];
      });
      this.#terminal.write(table(['agent', 'here', 'name', 'description'], rows, 'There is no agent.'));
    });
  }

  async invite(sessionId: string, name: string): Promise<void> {
    const { id } = await this.find(name);
    if ((await this.#session(sessionId)) === null) await this.#client.sessions.create({ id: sessionId });
    await this.#client.sessions.invite(sessionId, id);
    this.#terminal.note(`${id} is asked in. Speak to it with @${id}.`);
  }

  async remove(sessionId: string, name: string): Promise<void> {
    const { id } = await this.find(name);
    await this.#client.sessions.remove(sessionId, id);
    this.#terminal.note(`${id} is asked out.`);
  }

  /** Null before the first word. */
  async #session(sessionId: string): Promise<SessionSnapshot | null> {
    try {
      return await this.#client.sessions.get(sessionId);
    } catch (error) {
      if (error instanceof RostraError && error.status === 404) return null;
      throw error;
    }
  }
}

function placeOf(session: SessionSnapshot | null, id: string): { isHere: boolean; isActive: boolean } {
  const isHere = session?.agents.some(({ agentId }) => agentId === id) === true;
  return { isHere, isActive: session?.activeAgentId === id };
}
