import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import { limits } from '@rostra/protocol/wire/limits';
import { type RegistryGround, type SealedKind, SealedRegistry } from './sealed-registry.ts';
import { toolServerSecrets } from './secret-parts.ts';

/** Servers of tools made at run time. */
export type ToolServerRegistry = SealedRegistry<ToolServerConfig>;

export const toolServerKind: SealedKind<ToolServerConfig> = {
  kind: 'tool_server',
  section: ['tools', 'servers'],
  parts: toolServerSecrets,
  most: limits.stored_tool_servers,
  entriesOf: ({ tools }) => tools.servers,
  fault(config) {
    if (!('url' in config)) return null;
    const { username, password, hash } = new URL(config.url);
    const isPlain = `${username}${password}${hash}` === '';
    return isPlain ? null : { key: 'url', must: 'must be an address without credentials: give them as a header' };
  },
};

export function toolServerRegistry(ground: RegistryGround): ToolServerRegistry {
  return new SealedRegistry(toolServerKind, ground);
}
