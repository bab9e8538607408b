import {
  type AgentInput,
  ApiError,
  type ArtifactRef,
  type ContentElement,
  type ModelMessage,
} from '@rostra/runner-sdk';
import { cut } from './cut.ts';
import { material } from './material.ts';
import { patiently } from './patience.ts';
import type { TurnRun } from './turn-run.ts';

const FILE_BYTES = 256 * 1024;
const FILES_MAX = 8;
/** Files that are text: a model reads them as such. Others are handed on as they are. */
const textual =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|csv|javascript|x-sh|sql|x-ndjson)\b)|\+(?:json|xml)$/;

/** A message of a person as a model gets it: its text, and its images and files as elements. */
export async function inputMessage(run: TurnRun, input: AgentInput, fileChars: number): Promise<ModelMessage> {
  const elements = elementsOf(input);
  const files = elements.filter((each) => each.type === 'file').slice(0, FILES_MAX);
  const texts = await Promise.all(files.map(({ artifact }) => fileText(run, artifact, fileChars)));
  const parts = elements.map((element): ContentElement => {
    const text = element.type === 'file' ? texts[files.indexOf(element)] : undefined;
    return typeof text === 'string' ? { type: 'text', text } : element;
  });
  return { role: 'user', content: plain(parts) };
}

/** The parts as they stand, then the files that no part names. */
function elementsOf({ text, contents, attachments }: AgentInput): ContentElement[] {
  const hasText = contents.some((part) => part.type === 'text');
  const parts: ContentElement[] = text !== null && text !== '' && !hasText ? [{ type: 'text', text }] : [];
  parts.push(...contents);
  const named = new Set(parts.flatMap((part) => ('artifact' in part ? (part.artifact?.artifact_id ?? []) : [])));
  const others = attachments.filter(({ artifact_id }) => !named.has(artifact_id));
  return [...parts, ...others.map(fileElement)];
}

/** What a file is to a model. */
export function fileElement(artifact: ArtifactRef): ContentElement {
  const [kind] = artifact.mime_type.split('/');
  return { type: kind === 'image' || kind === 'audio' ? kind : 'file', artifact };
}

/** Text alone needs no list of parts. */
export function plain(parts: ContentElement[]): string | ContentElement[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}

/** Null: the file is none, or may not be read; then it stays an element, and the model's own side deals with it. */
async function fileText({ context, tools }: TurnRun, artifact: ArtifactRef, chars: number): Promise<string | null> {
  const { artifact_id, name, mime_type } = artifact;
  if (!textual.test(mime_type) || !context.context.available_apis.artifact_read) return null;
  try {
    const { content_base64 } = await patiently(tools, () => {
      return tools.api.artifacts.read_range({ artifact_id, offset: 0, length: FILE_BYTES });
    });
    const text = Buffer.from(content_base64, 'base64').toString('utf8');
    return material('file', { name: name ?? '', artifact_id }, cut(text, chars));
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return null;
  }
}
