import type { RunResult } from '@rostra/runner-sdk';
import type { Call } from '../command.ts';
import type { Bilingual } from '../language.ts';
import { withNext } from './card.ts';

const lines = '```sh\nexport ANTHROPIC_API_KEY=…\nnpm start\n```';

const none: Bilingual = {
  en: `No model was found on this machine, so guide and scout speak by rote. Stop the server and start it again with a key; these are the two lines:\n\n${lines}\n\nOPENAI_API_KEY or GEMINI_API_KEY do as well, and so does Ollama on this machine, without any key. The agent \`assistant\` then answers in every new conversation, with tools and documents.`,
  zh: `这台机器上没有找到模型，所以 guide 和 scout 只会照着稿子说。停止服务，然后带上密钥再启动，只要两行：\n\n${lines}\n\n也可以用 OPENAI_API_KEY 或 GEMINI_API_KEY；这台机器上有 Ollama 的话，不需要密钥。之后智能体 \`assistant\` 会在每个新对话里回答，可以使用工具和文档。`,
};

function found(what: string): Bilingual {
  return {
    en: `This was found on your machine:\n\n> ${what}\n\nBegin a new conversation, where \`assistant\` is the active agent, or write \`@assistant\` and a question right here. Another model takes another key and a restart:\n\n${lines}\n\nOPENAI_API_KEY, GEMINI_API_KEY, or Ollama on this machine do as well; ROSTRA_MODEL=provider/model chooses among them.`,
    zh: `在你的机器上找到了：\n\n> ${what}\n\n新建一个对话，那里由 \`assistant\` 回答；也可以就在这里写 \`@assistant\` 加上问题。换一个模型只要换密钥并重启：\n\n${lines}\n\n也可以用 OPENAI_API_KEY、GEMINI_API_KEY，或这台机器上的 Ollama；用 ROSTRA_MODEL=provider/model 选择。`,
  };
}

/** What the host found when it started stands in the agent's configuration. */
export async function* realModel({ context, language }: Call): AsyncGenerator<RunResult> {
  const { found: what } = context.config;
  const words = typeof what === 'string' && what !== '' ? found(what) : none;
  yield* withNext(words[language], language);
}
