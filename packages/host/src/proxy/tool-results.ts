import type { ToolResource } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ToolAnswer, ToolFile } from '../capabilities/tools/tool-source.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { ToolArtifacts } from './tool-artifacts.ts';

/** Where an answer is from, as far as those need to know who keep it. */
type Origin = Pick<ToolResource, 'tool_name' | 'owner'>;

/** Makes of what tools give back what a run gets: small, and with references to what is not. */
export class ToolResults {
  readonly #artifacts: Pick<ToolArtifacts, 'keep'>;

  constructor(artifacts: Pick<ToolArtifacts, 'keep'>) {
    this.#artifacts = artifacts;
  }

  /**
   * The content itself; with files `{ content, files }`, each an ArtifactRef; a large text is `{ artifact, preview,
   * truncated }` in its place. What the tool says of its own failure is thrown: the run decides what becomes of it.
   */
  async of(run: ActiveRun, { tool_name, owner }: Origin, { content, is_error, files }: ToolAnswer): Promise<Json> {
    const text = textOf(content);
    if (is_error) throw failed(tool_name, text);
    const bytes = Buffer.from(text);
    const isLarge = bytes.byteLength > limits.tool_result_bytes;
    check(tool_name, bytes.byteLength, files);
    const kept = [...(isLarge ? [fileOf(tool_name, content, bytes)] : []), ...files];
    if (kept.length === 0) return content;
    const metadata = { tool_name, source: owner };
    const refs: JsonObject[] = await this.#artifacts.keep(run, kept, metadata);
    const [artifact = null] = isLarge ? refs.splice(0, 1) : [];
    const told =
      artifact === null
        ? content
        : { artifact, preview: beginningOf(text, limits.tool_preview_chars), truncated: true };
    return files.length === 0 ? told : { content: told, files: refs };
  }
}

function textOf(content: Json): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function check(tool_name: string, size: number, files: readonly ToolFile[]): void {
  if (files.length > limits.tool_files) {
    throw tooLarge(`"${tool_name}" gave back more than ${limits.tool_files} files.`);
  }
  const all = files.reduce((sum, { bytes }) => sum + bytes.byteLength, size);
  if (all > limits.artifact_bytes) throw tooLarge(`"${tool_name}" gave back more than ${limits.artifact_bytes} bytes.`);
}

function fileOf(tool_name: string, content: Json, bytes: Buffer): ToolFile {
  const isText = typeof content === 'string';
  return {
    name: `${tool_name}-result.${isText ? 'txt' : 'json'}`,
    mime_type: isText ? 'text/plain' : 'application/json',
    bytes,
  };
}

/** The beginning, which ends between characters. */
function beginningOf(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, '');
}

function tooLarge(message: string): ApiError {
  return new ApiError('payload_too_large', message, { details: { reason: 'TOOL_FAILED' } });
}

function failed(tool_name: string, text: string): ApiError {
  const message = `"${tool_name}" failed: ${text || 'it did not say why.'}`;
  return new ApiError('runtime_error', beginningOf(message, limits.failure_message_chars), {
    details: { reason: 'TOOL_FAILED' },
  });
}
