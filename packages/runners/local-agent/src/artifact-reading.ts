import { type BuiltIn, textIn } from './built-in.ts';
import { material } from './material.ts';
import type { TurnRun } from './turn-run.ts';

const PIECE_BYTES = 16 * 1024;

/** Reads more of a file than a message or the result of a tool shows. Only where there may be one. */
export function artifactReading({ context }: TurnRun): BuiltIn | null {
  const { resources, context: access } = context;
  const hasFiles = resources.artifacts.length > 0 || resources.tools.length > 0;
  if (!access.available_apis.artifact_read || !hasFiles) return null;
  return {
    tool: {
      name: 'read_artifact',
      description: 'Reads a part of a text file by the artifact_id that a message or the result of a tool names.',
      parameters: {
        type: 'object',
        properties: {
          artifact_id: { type: 'string' },
          offset: { type: 'integer', minimum: 0, description: `In bytes; ${PIECE_BYTES} are read.` },
        },
        required: ['artifact_id'],
      },
    },
    async call(parameters, { tools }) {
      const { offset: from } = parameters;
      const offset = typeof from === 'number' && Number.isInteger(from) && from >= 0 ? from : 0;
      const artifact_id = textIn(parameters, 'artifact_id');
      const read = await tools.api.artifacts.read_range({ artifact_id, offset, length: PIECE_BYTES });
      const bytes = Buffer.from(read.content_base64, 'base64');
      const more = read.has_more ? `\nThere is more from offset ${offset + bytes.length} on.` : '';
      return { text: `${material('file', { artifact_id }, bytes.toString('utf8'))}${more}` };
    },
  };
}
