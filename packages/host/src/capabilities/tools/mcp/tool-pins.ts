import { isJsonObject } from '@rostra/protocol/wire/json';
import type { RegistryStore } from '../../../store/ports/registry.ts';

export const TOOL_PIN_KIND = 'tool_pin';

/**
 * What the tools of servers were when somebody approved them, by the hashes of their descriptions: a server that says
 * something else later has other tools, which nobody has approved.
 */
export class ToolPins {
  readonly #store: Pick<RegistryStore, 'list' | 'put' | 'delete'>;

  constructor(store: Pick<RegistryStore, 'list' | 'put' | 'delete'>) {
    this.#store = store;
  }

  /** The approved hash of each tool of a server. */
  async of(server_id: string): Promise<Map<string, string>> {
    const prefix = keyOf(server_id, '');
    const pins = new Map<string, string>();
    for (const { key, value } of await this.#store.list(TOOL_PIN_KIND)) {
      if (!key.startsWith(prefix) || !isJsonObject(value)) continue;
      // A row without a hash approves nothing, and still says that the tool is not a new one.
      pins.set(key.slice(prefix.length), typeof value.hash === 'string' ? value.hash : '');
    }
    return pins;
  }

  async pin(server_id: string, tool: string, hash: string, { at, by }: { at: number; by: string }): Promise<void> {
    await this.#store.put(TOOL_PIN_KIND, keyOf(server_id, tool), { hash, at, by }, { at, by });
  }

  async forget(server_id: string, tool: string, change: { at: number; by: string }): Promise<void> {
    await this.#store.delete(TOOL_PIN_KIND, keyOf(server_id, tool), change);
  }
}

/** Ids of servers have no slash. */
function keyOf(server_id: string, tool: string): string {
  return `${server_id}/${tool}`;
}
