import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import type { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import type { ToolCaller } from '../tool-source.ts';
import type { CallLimit } from './call-limit.ts';
import { elicit } from './elicitation.ts';
import { type SamplingModels, sample } from './sampling.ts';

/** The call in whose course a server asks something back. */
export interface CallAtWork {
  readonly caller: ToolCaller;
  readonly limit: CallLimit;
}

/** What a server is told that it may ask; everything else is answered with "no such method". */
export function capabilitiesOf({ roots, elicitation, sampling }: ToolServerConfig): ClientCapabilities {
  return {
    ...(roots.length > 0 && { roots: {} }),
    ...(elicitation && { elicitation: { form: {} } }),
    ...(sampling !== undefined && { sampling: {} }),
  };
}

/** A server that may ask its caller something must have one caller only, or it would be asked of somebody else. */
export function hasOneCaller({ keeps_state, elicitation, sampling }: ToolServerConfig): boolean {
  return keeps_state || elicitation || sampling !== undefined;
}

export interface PowersOptions {
  readonly server_id: string;
  readonly config: ToolServerConfig;
  readonly models: SamplingModels | null;
  readonly atWork: () => CallAtWork | undefined;
}

/** Answers what the configuration lets a server ask. */
export function grantPowers(client: Client, { server_id, config, models, atWork }: PowersOptions): void {
  const { roots, elicitation, sampling } = config;
  if (roots.length > 0) {
    const listed = roots.map((root) => ({ uri: pathToFileURL(root).href, name: path.basename(root) }));
    client.setRequestHandler('roots/list', () => ({ roots: listed }));
  }
  if (elicitation) {
    client.setRequestHandler('elicitation/create', async (request) => {
      const call = atWork();
      if (call === undefined) return { action: 'decline' as const };
      return call.limit.outside(() => elicit(server_id, request, call.caller.ask));
    });
  }
  if (sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', (request) =>
      sample(models?.find(sampling) ?? null, request, atWork()?.limit.signal),
    );
  }
}
