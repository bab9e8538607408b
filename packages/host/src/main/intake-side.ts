import { AgentInput } from '@rostra/protocol/session/input';
import { limits } from '@rostra/protocol/wire/limits';
import type { Attachments } from '../attachments/attachments.ts';
import type { AguiIntake } from '../http/routes/agui.ts';
import type { RunParts } from '../http/run-submission.ts';
import { newId } from '../new-id.ts';
import { ContinuedRuns } from '../session/continued-run.ts';
import { readThread } from '../session/thread-reader.ts';
import type { HttpGround } from './http-ground.ts';

/** How runs come in over HTTP: what they bring, which tools are taken, and what AG-UI clients go on with. */
export interface IntakeSide {
  readonly parts: RunParts;
  readonly agui: AguiIntake;
  readonly continued: ContinuedRuns;
  hostTools(): readonly string[];
}

type Ground = Pick<HttpGround, 'gateway' | 'store' | 'bus' | 'agents' | 'proxy'>;

export function intakeSide(ground: Ground, attachments: Pick<Attachments, 'check' | 'resolve'>): IntakeSide {
  const { gateway, store, bus, agents, proxy } = ground;
  const { transcript, artifacts } = store;
  const continued = new ContinuedRuns({ gateway, log: store, bus, newId });
  return {
    parts: {
      artifacts,
      check: (principal, url) => attachments.check(principal, url),
      resolve: (principal, url, session_id) => attachments.resolve(principal, url, session_id),
    },
    continued,
    hostTools: () => proxy.offers.tools.map(({ tool_name }) => tool_name),
    agui: {
      gateway,
      continued,
      readThread: (driver, body, open) => readThread(transcript, driver, body, open),
      async saidAt(session_id, seq) {
        const row = await transcript.get(session_id, seq);
        if (row === null) return null;
        const { content, content_json, attachments: files } = row;
        const contents = content_json ?? [{ type: 'text', text: content }];
        return AgentInput.parse({ text: content === '' ? null : content, contents, attachments: files });
      },
      grace: (agent_id) => agents.catalog.find(agent_id)?.disconnect_grace ?? limits.disconnect_grace,
    },
  };
}
