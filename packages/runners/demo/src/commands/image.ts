import { createHash } from 'node:crypto';
import type { RunResult } from '@rostra/runner-sdk';
import type { Call, Command } from '../command.ts';
import { absent, orRefused } from '../host-parts.ts';
import type { Bilingual } from '../language.ts';
import { spoken } from '../speech.ts';

const none: Bilingual = {
  en: 'No file came with this message; send one along with /image.',
  zh: '这条消息没有附带文件；请随 /image 一起发送一个文件。',
};

export const image: Command = {
  name: '/image',
  parameters: '',
  about: { en: 'reads the files that you send along', zh: '读取你随消息发送的文件' },
  async *run(call) {
    const { context, language } = call;
    const { artifact_metadata, artifact_read } = context.context.available_apis;
    if (context.input.attachments.length === 0) yield* spoken(none[language]);
    else if (!artifact_metadata || !artifact_read) yield* absent('artifacts', language);
    else yield* orRefused('artifacts', language, received(call));
  },
};

/** What the host says of each file, and what its bytes say. */
async function* received({ context, tools, language }: Call): AsyncGenerator<RunResult> {
  for (const { artifact_id } of context.input.attachments) {
    const { name, mime_type } = await tools.api.artifacts.metadata({ artifact_id });
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of tools.api.artifacts.read(artifact_id)) {
      hash.update(piece);
      size += piece.length;
    }
    const sha256 = hash.digest('hex');
    const en = `I received ${name}: ${mime_type}, ${size} bytes, SHA-256 ${sha256}. `;
    const zh = `我收到了 ${name}：${mime_type}，${size} 字节，SHA-256 ${sha256}。`;
    yield* spoken({ en, zh }[language]);
  }
}
