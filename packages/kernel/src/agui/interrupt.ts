import type { AguiInterrupt } from '@rostra/protocol/run-api/agui-event';
import type { InteractionSubject } from '@rostra/protocol/run-api/interaction';
import { isoTime } from '@rostra/protocol/wire/iso-time';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { formOf } from '../interaction/answer.ts';
import { responseSchema } from '../interaction/resume-answer.ts';
import { present } from './agui-pen.ts';

/** What waits for a person, as a record tells of it or as it stands in the inbox. */
interface Waiting {
  readonly interaction_id: string;
  readonly purpose: InteractionSubject;
  readonly kind: string;
  readonly agent_id: string;
  readonly request: Json;
  readonly expires_at: number;
}

/** The words that AG-UI has for what is asked, and ours where it has none. */
function reasonOf({ purpose, kind }: Waiting): string {
  if (purpose === 'handover') return 'rostra:handover';
  if (purpose === 'budget') return 'rostra:budget';
  if (purpose === 'approval') return 'tool_call';
  return kind === 'confirmation' ? 'confirmation' : 'input_required';
}

function metadataOf({ purpose, kind, agent_id: agentId, request }: Waiting): JsonObject {
  if (purpose !== 'handover' || !isJsonObject(request)) return present({ purpose, kind, agentId, request });
  const { from_agent_id: from, target_agent_id: to, reason, summary } = request;
  return present({ from, to, reason, summary });
}

/** A question or a handover as what an AG-UI run ends with: the same wherever it is told. */
export function interruptOf(waiting: Waiting): AguiInterrupt {
  const form = formOf(waiting);
  return {
    id: waiting.interaction_id,
    reason: reasonOf(waiting),
    ...(form.title === '' ? {} : { message: form.title }),
    responseSchema: responseSchema(form),
    expiresAt: isoTime(waiting.expires_at),
    metadata: metadataOf(waiting),
  };
}
