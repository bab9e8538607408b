import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ToolAnswer, ToolFile } from '../tool-source.ts';
import { foreignWords } from './foreign-words.ts';
import { tooLarge } from './server-fault.ts';

/** A part of an answer: words, or a file. */
type Part = { readonly text: string } | { readonly file: ToolFile };

/** What a tool gave back, as data: addresses in it are shown and never followed. */
export function answerOf(server_id: string, result: CallToolResult): ToolAnswer {
  const parts = result.content.map(partOf);
  const files = parts.flatMap((part) => ('file' in part ? [part.file] : []));
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const content = contentOf(texts, result.structuredContent);
  if (bytes + Buffer.byteLength(JSON.stringify(content)) > limits.artifact_bytes) throw tooLarge(server_id);
  return { content, is_error: result.isError === true, files };
}

/** Servers say the same twice, as data and as its text, for clients that read only one of them. */
function contentOf(texts: readonly string[], data: unknown): Json {
  const text = texts.join('\n\n');
  if (!isJsonObject(data)) return text;
  if (text === '' || isTextOf(text, data)) return data;
  return { text, data };
}

function isTextOf(text: string, data: Json): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(data);
  } catch {
    // Not even JSON.
    return false;
  }
}

function partOf(block: ContentBlock, at: number): Part {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'image':
    case 'audio':
      return { file: fileOf(`${block.type}-${at + 1}`, block.mimeType, block.data) };
    case 'resource_link':
      return { text: `${foreignWords(block.name)}: ${foreignWords(block.uri)}` };
    case 'resource':
      if ('text' in block.resource) return { text: block.resource.text };
      return { file: fileOf(nameIn(block.resource.uri), block.resource.mimeType, block.resource.blob) };
  }
}

function fileOf(name: string, mime_type: string | undefined, base64: string): ToolFile {
  return { name, mime_type: mime_type ?? 'application/octet-stream', bytes: Buffer.from(base64, 'base64') };
}

/** The last part of an address is a name; what a file may be called is for whoever keeps it to say. */
function nameIn(uri: string): string {
  const path = uri.split('?', 1)[0] ?? '';
  return path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('/') + 1 + limits.artifact_name_bytes) || 'resource';
}
