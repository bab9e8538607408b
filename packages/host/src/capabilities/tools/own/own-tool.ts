import type { ToolResource } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonObject } from '@rostra/protocol/wire/json';
import { z } from 'zod';
import type { ToolAnswer, ToolCaller } from '../tool-source.ts';

/** A tool that the host itself has. */
export interface OwnTool {
  readonly resource: ToolResource;
  call(parameters: JsonObject, caller: Pick<ToolCaller, 'signal'>): Promise<ToolAnswer>;
}

interface OwnToolParts<S extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly parameters: S;
  /** What the model is told; an ApiError when it cannot be done. */
  readonly run: (parameters: z.infer<S>, signal: AbortSignal) => Promise<ToolAnswer>;
}

export function ownTool<S extends z.ZodType>({ name, description, parameters, run }: OwnToolParts<S>): OwnTool {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters);
  return {
    resource: {
      tool_name: name,
      tool_type: 'host',
      owner: 'host',
      description,
      parameters: JsonObject.parse(schema),
      operations: ['detail', 'call'],
    },
    async call(given, { signal }) {
      const parsed = parameters.safeParse(given);
      if (!parsed.success) throw wrong(name, parsed.error.issues[0]);
      return run(parsed.data, signal);
    },
  };
}

function wrong(name: string, issue: { path: readonly PropertyKey[]; message: string } | undefined): ApiError {
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  const message = `The parameters of ${name} are wrong: ${where}${issue?.message ?? 'not what was expected'}.`;
  const hint = 'Look at the parameters in the detail of the tool.';
  return new ApiError('invalid_argument', message, { details: { reason: 'TOOL_ARGUMENTS', hint } });
}
