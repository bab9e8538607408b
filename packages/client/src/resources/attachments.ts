import type { Attachment } from '@rostra/protocol/run-api/attachment';
import { attachmentOperations } from '@rostra/protocol/run-api/operations/attachments';
import type { Caller, CallOptions } from '../caller.ts';

export class Attachments {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Uploads one file; its `url` goes into a binary block of a message. */
  async upload(file: Blob, { filename, ...options }: { filename: string } & CallOptions): Promise<Attachment> {
    const body = new FormData();
    body.append('file', file, filename);
    return await this.#caller.call(attachmentOperations.uploadAttachment, { body, ...options });
  }

  /** A fresh url of a file whose old one is no longer good. */
  sign(id: string, options: CallOptions = {}): Promise<Attachment> {
    return this.#caller.call(attachmentOperations.signAttachment, { params: { id }, ...options });
  }
}
