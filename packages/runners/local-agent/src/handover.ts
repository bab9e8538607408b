import { isJsonObject } from '@rostra/runner-sdk';
import { type BuiltIn, textIn } from './built-in.ts';
import { cut } from './cut.ts';
import type { TurnRun } from './turn-run.ts';

/** The host takes 2 KiB of each text; a character has up to four bytes. */
const TEXT_CHARS = 450;

/** Agents that this one may hand over to: those of its configuration, and those that the host names. */
function agentsOf({ context, settings }: TurnRun): string[] {
  const { platform_capabilities } = context.resources;
  const told = isJsonObject(platform_capabilities) ? platform_capabilities.handover_to : null;
  const named = Array.isArray(told) ? told.filter((each) => typeof each === 'string') : [];
  return [...new Set([...settings.handover_to, ...named])];
}

/** Asks to pass the conversation to another agent. A person confirms it, after the turn has ended. */
export function handover(run: TurnRun): BuiltIn | null {
  const agents = agentsOf(run);
  if (agents.length === 0) return null;
  return {
    tool: {
      name: 'request_handover',
      description: 'Asks to pass this conversation to another agent who can help better. A person confirms it.',
      parameters: {
        type: 'object',
        properties: {
          agent_id: { type: 'string', enum: agents },
          reason: { type: 'string', description: 'Why, in one sentence for the person.' },
          summary: { type: 'string', description: 'What the other agent has to know to go on.' },
        },
        required: ['agent_id', 'reason', 'summary'],
      },
    },
    async call(parameters) {
      const agent_id = textIn(parameters, 'agent_id');
      if (!agents.includes(agent_id)) return { text: `Error: there is no agent "${agent_id}" to hand over to.` };
      const payload = {
        reason: cut(textIn(parameters, 'reason'), TEXT_CHARS),
        summary: cut(textIn(parameters, 'summary'), TEXT_CHARS),
      };
      return {
        text: `The person is asked whether ${agent_id} shall go on. Say so in one sentence, and end.`,
        results: [{ type: 'action.requested', data: { action: 'session.handover', target: { agent_id }, payload } }],
        ends: true,
      };
    },
  };
}
