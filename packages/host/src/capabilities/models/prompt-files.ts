import type { LanguageModelV3FilePart, LanguageModelV3TextPart } from '@ai-sdk/provider';
import type { ModelMessage } from '@rostra/protocol/api/models';
import type { ModelConfig, ModelProvider } from '@rostra/protocol/config/model-config';
import type { ArtifactRef, ContentElement } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ModelCall } from './model.ts';

type Part = LanguageModelV3TextPart | LanguageModelV3FilePart;

const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const readers: Readonly<Record<string, ReadonlySet<ModelProvider>>> = {
  'application/pdf': new Set(['openai', 'anthropic', 'google']),
};
const isText = /^text\/|^application\/(json|xml|yaml|x-yaml|javascript)$/;
const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64,([A-Za-z0-9+/=\s]*)$/;

/** The files that a user's messages name, made into what the model can see. What it cannot see is named in words. */
export class PromptFiles {
  readonly #config: ModelConfig;
  readonly #bytes: ModelCall['bytes'];
  #read = 0;

  constructor(config: ModelConfig, bytes: ModelCall['bytes']) {
    this.#config = config;
    this.#bytes = bytes;
  }

  async parts(content: ModelMessage['content']): Promise<Part[]> {
    const elements: ContentElement[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    const parts: Part[] = [];
    for (const element of elements) {
      const part = await this.#part(element);
      if (part.type === 'file' || part.text !== '') parts.push(part);
    }
    return parts;
  }

  /** The words for a file that cannot be shown. */
  static named(element: Exclude<ContentElement, { type: 'text' }>): string {
    const { artifact } = element;
    if (artifact === undefined) return `[${element.type}, which cannot be shown]`;
    return `[${element.type} ${artifact.name ?? artifact.artifact_id}, ${artifact.mime_type}, which cannot be shown]`;
  }

  async #part(element: ContentElement): Promise<Part> {
    if (element.type === 'text') return element;
    if (element.type === 'image' && element.artifact === undefined) return this.#inline(element.url ?? '');
    const { artifact } = element;
    if (artifact === undefined || !this.#canRead(artifact.mime_type)) return words(PromptFiles.named(element));
    const data = await this.#load(artifact);
    if (isText.test(artifact.mime_type)) return words(textFile(artifact, data));
    const filename = artifact.name === null ? {} : { filename: artifact.name };
    return { type: 'file', data, mediaType: artifact.mime_type, ...filename };
  }

  #canRead(mime_type: string): boolean {
    if (images.has(mime_type)) return this.#config.images;
    const reader = Object.hasOwn(readers, mime_type) ? readers[mime_type] : undefined;
    return isText.test(mime_type) || reader?.has(this.#config.provider) === true;
  }

  /** Nothing is fetched for whoever writes an address: it may be one that only this host can reach. */
  #inline(url: string): Part {
    const [, mediaType, base64] = dataUrl.exec(url) ?? [];
    if (mediaType === undefined || base64 === undefined || !images.has(mediaType)) throw addressedImage();
    if (!this.#config.images) return words(PromptFiles.named({ type: 'image' }));
    const data = Buffer.from(base64, 'base64');
    this.#count(data.byteLength);
    return { type: 'file', data, mediaType };
  }

  /** A run says how large a file is, and the file itself tells whether that was so. */
  async #load(artifact: ArtifactRef): Promise<Uint8Array> {
    const { size_bytes } = artifact;
    this.#count(size_bytes);
    const data = await this.#bytes(artifact);
    this.#count(Math.max(0, data.byteLength - size_bytes));
    return data;
  }

  #count(size: number): void {
    this.#read += size;
    if (this.#read <= limits.model_file_bytes) return;
    throw new ApiError('payload_too_large', 'The files of this call are larger than what goes to a model at once.', {
      details: { most: limits.model_file_bytes, hint: 'Send fewer or smaller files.' },
    });
  }
}

function words(text: string): LanguageModelV3TextPart {
  return { type: 'text', text };
}

function textFile({ name, artifact_id }: ArtifactRef, data: Uint8Array): string {
  const text = new TextDecoder().decode(data);
  const shown = text.slice(0, limits.model_file_chars);
  const rest = text.length - shown.length;
  return `File ${name ?? artifact_id}:\n${shown}${rest > 0 ? `\n[${rest} more characters]` : ''}`;
}

function addressedImage(): ApiError {
  return new ApiError('invalid_argument', 'An image that is given by its address is not fetched for a model.', {
    details: { hint: 'Attach the image as a file.' },
  });
}
