import type { PipelineQuery } from '@rostra/protocol/run-api/pipeline-query';
import type { AgentInput, ContentElement } from '@rostra/protocol/session/input';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import type { EntryFile } from './entry-event.ts';

export interface PipelineInput {
  readonly input: AgentInput;
  /** Bytes that stood in the message itself: they become artifacts (RP-4.23). */
  readonly files: EntryFile[];
}

const DATA_URL = /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,/;

function stringOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function fileOf(base64: string, name: string | null, kind: 'image' | 'file' | 'audio'): EntryFile {
  const head = DATA_URL.exec(base64);
  const usual = { image: 'image/png', audio: 'audio/mpeg', file: 'application/octet-stream' }[kind];
  const bytes = Buffer.from(head === null ? base64 : base64.slice(head[0].length), 'base64');
  return { name: name ?? kind, mime_type: head?.[1] ?? usual, bytes };
}

interface Part {
  readonly element?: ContentElement;
  readonly file?: EntryFile;
}

/** One element of a user message. A file that lies elsewhere stays in the chain: the host fetches nothing. */
function partOf(element: JsonObject): Part {
  const { type, text, image_url, image_base64, file_base64, file_name } = element;
  if (type === 'text' && typeof text === 'string') return { element: { type: 'text', text } };
  if (type === 'image_url') {
    const given = isJsonObject(image_url) ? image_url.url : image_url;
    const url = stringOf(given);
    return url === null ? {} : { element: { type: 'image', url } };
  }
  const image = stringOf(image_base64);
  if (type === 'image_base64' && image !== null) return { file: fileOf(image, null, 'image') };
  const file = stringOf(file_base64);
  return type === 'file_base64' && file !== null ? { file: fileOf(file, stringOf(file_name), 'file') } : {};
}

/** The same of a chain's component, for a query whose message nobody has taken apart yet. */
function componentOf({ type, text, url, base64, name }: JsonObject): Part {
  if (type === 'Plain' && typeof text === 'string') return { element: { type: 'text', text } };
  const body = stringOf(base64);
  if (body !== null && (type === 'Image' || type === 'Voice' || type === 'File')) {
    const kind = { Image: 'image' as const, Voice: 'audio' as const, File: 'file' as const }[type];
    return { file: fileOf(body, stringOf(name), kind) };
  }
  const address = stringOf(url);
  return type === 'Image' && address !== null ? { element: { type: 'image', url: address } } : {};
}

function partsOf({ user_message, message_chain }: PipelineQuery): Part[] {
  const content = user_message?.content ?? null;
  if (typeof content === 'string') return [{ element: { type: 'text', text: content } }];
  return content === null ? (message_chain ?? []).map(componentOf) : content.map(partOf);
}

/** Bodies in base64 are kept as artifacts; in the chain only their size is left. */
function withoutBodies(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutBodies);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, Json] => {
    const isBody = typeof each === 'string' && (/base64$/i.test(key) || DATA_URL.test(each));
    return [key, isBody ? `[${Buffer.byteLength(each, 'base64')} bytes]` : withoutBodies(each)];
  });
  return Object.fromEntries(entries);
}

/** What was said with this message; earlier ones are no part of it. */
export function pipelineInput(query: PipelineQuery): PipelineInput {
  const parts = partsOf(query);
  const contents = parts.flatMap(({ element }) => element ?? []);
  const texts = contents.flatMap((element) => (element.type === 'text' ? element.text : []));
  const { message_chain } = query;
  return {
    input: {
      text: texts.length === 0 ? null : texts.join(''),
      contents,
      attachments: [],
      message_chain: message_chain === null ? null : { components: withoutBodies(message_chain) },
    },
    files: parts.flatMap(({ file }) => file ?? []),
  };
}
