import type { AguiPart } from '@rostra/protocol/run-api/agui-input';
import type { ContentBlock } from '@rostra/protocol/run-api/run-agent-input';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';

/** An image whose client does not say what kind it is: its bytes will. */
const SOME_IMAGE = 'image/unknown';

function filenameOf(metadata: Json | undefined): { filename?: string } {
  if (!isJsonObject(metadata)) return {};
  return typeof metadata.filename === 'string' ? { filename: metadata.filename } : {};
}

/** A part as the contract has it: what the contract does not take becomes what it refuses. */
export function blockOf(part: AguiPart): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'binary') {
    const { mimeType, url, data, id, filename } = part;
    return {
      type: 'binary',
      mimeType,
      ...(url != null && { url }),
      ...(data != null && { data }),
      ...(id != null && { id }),
      ...(filename != null && { filename }),
    };
  }
  const { source, metadata } = part;
  const mimeType = part.type === 'image' ? (source.mimeType ?? SOME_IMAGE) : `${part.type}/*`;
  const bytes = source.type === 'data' ? { data: source.value } : {};
  const place = source.type === 'url' ? { url: source.value } : {};
  return { type: 'binary', mimeType, ...place, ...bytes, ...filenameOf(metadata) };
}

/** The words of a content; those of several parts are lines. */
export function textOf(content: string | readonly AguiPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** The urls of its parts that are no words; empty for one without. */
export function mediaOf(content: string | readonly AguiPart[]): string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'text' ? [] : (blockUrl(blockOf(part)) ?? '')));
}

function blockUrl(block: ContentBlock): string | undefined {
  return block.type === 'binary' ? block.url : undefined;
}

/** Whether a url is one of that file. It is signed anew each time: only its path stays. */
export function leadsTo(url: string, file: string): boolean {
  return url === file || url.split('?', 1)[0]?.endsWith(`/${file}`) === true;
}
