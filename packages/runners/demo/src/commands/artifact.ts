import { createHash } from 'node:crypto';
import type { RunResult } from '@rostra/runner-sdk';
import { type Call, type Command, misused, wholeNumber } from '../command.ts';
import { absent, orRefused } from '../host-parts.ts';
import { spoken } from '../speech.ts';

const KIB = 1024;
const KIB_MAX = 15_360;
/** How often, and after what pause, the host is asked for the file that it was just given. */
const LOOKS = 40;
const LOOK_MS = 50;

export const artifact: Command = {
  name: '/artifact',
  parameters: 'KB',
  about: {
    en: 'makes a file of that many kilobytes, and reads it back',
    zh: '生成一个指定大小（KB）的文件并读回',
  },
  async *run(call) {
    const { args, language, context } = call;
    const kib = args.length === 1 ? wholeNumber(args[0], 1, KIB_MAX) : undefined;
    if (kib === undefined) {
      const en = `KB is a whole number from 1 to ${KIB_MAX}; try /artifact 64.`;
      yield* misused(artifact, { en, zh: `KB 是 1 到 ${KIB_MAX} 的整数，例如 /artifact 64。` }, language);
      return;
    }
    const { artifact_metadata, artifact_read, run_events_page } = context.context.available_apis;
    if (!artifact_metadata || !artifact_read || !run_events_page) yield* absent('artifacts', language);
    else yield* orRefused('artifacts', language, made(call, kib));
  },
};

async function* made(call: Call, kib: number): AsyncGenerator<RunResult> {
  const { tools, language } = call;
  const bytes = linesOf(kib * KIB);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const name = `demo-${kib}-kib.txt`;
  yield await tools.api.artifacts.upload(bytes, { name, mime_type: 'text/plain' });
  const artifact_id = await idOf(call, hash);
  if (artifact_id === null) {
    yield* spoken({ en: `The host did not keep ${name}.`, zh: `主机没有保存 ${name}。` }[language]);
    return;
  }
  const back = createHash('sha256');
  let size = 0;
  for await (const piece of tools.api.artifacts.read(artifact_id)) {
    back.update(piece);
    size += piece.length;
  }
  const isSame = back.digest('hex') === hash;
  const en = `I made ${name} and read it back: ${size} bytes, SHA-256 ${hash}, ${isSame ? 'byte by byte the same' : 'NOT the same'}.`;
  const zh = `我生成了 ${name} 并读回：${size} 字节，SHA-256 ${hash}，${isSame ? '逐字节相同' : '内容不一致'}。`;
  yield* spoken({ en, zh }[language]);
}

/** The host names what it keeps: the name stands in what it tells of this run. */
async function idOf({ tools, context }: Call, sha256: string): Promise<string | null> {
  let after_cursor: string | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    const page = await tools.api.runs.events_page({ target_run_id: context.run_id, after_cursor });
    for (const { type, data } of page.items) {
      if (type === 'artifact.created' && data.sha256 === sha256) return String(data.artifact_id);
    }
    after_cursor = page.next_cursor;
    if (!page.has_more) await tools.sleep(LOOK_MS);
  }
  return null;
}

/** Numbered lines, cut to length. */
function linesOf(length: number): Buffer {
  const line = (n: number) => `${String(n).padStart(8, '0')} A line of a file that the demo of Rostra made.\n`;
  const width = line(1).length;
  const lines = Array.from({ length: Math.ceil(length / width) }, (_, index) => line(index + 1));
  return Buffer.from(lines.join('')).subarray(0, length);
}
