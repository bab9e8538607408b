import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../fakes/model-server.ts';
import { HostProcess } from './host-process.ts';
import { type Frame, textOf } from './sse-client.ts';

const require = createRequire(import.meta.url);
/** The reference server of the Model Context Protocol, as it comes from npm. */
export const everything = path.join(
  path.dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

const runner = 'rostra/local-agent/default';
export const openaiKey = 'sk-canary-openai-7f3a9c';
export const anthropicKey = 'sk-ant-canary-51d2e8';

export interface Answer {
  readonly taskId: string;
  readonly text: string;
  readonly frames: Frame[];
  /** Of the last event: RUN_FINISHED, or RUN_ERROR. */
  readonly end: Frame['event'];
}

/** A host with local agents on fake providers and the real reference server of tools. */
export class AgentWorld {
  readonly models: ModelServer;
  readonly host: HostProcess;

  private constructor(models: ModelServer, host: HostProcess) {
    this.models = models;
    this.host = host;
  }

  static async open(options: ModelServerOptions = {}, more: object = {}): Promise<AgentWorld> {
    const models = await startModelServer(options);
    const { openai_url, anthropic_url } = models;
    const openai = { provider: 'openai-compatible', base_url: openai_url, api_key: openaiKey, retries: 0 };
    const small = { model: 'fake-chat', context_window: 4000 };
    const config = {
      demo: false,
      models: {
        chat: { ...openai, model: 'fake-chat' },
        spare: { ...openai, model: 'fake-small' },
        short: { ...openai, ...small },
        claude: { provider: 'anthropic', model: 'fake-claude', base_url: anthropic_url, api_key: anthropicKey },
        vectors: { ...openai, model: 'fake-embed', kind: 'embedding' },
      },
      tools: {
        servers: {
          everything: { command: [process.execPath, everything], policy: 'allow', env: { CANARY: 'sk-tool' } },
        },
      },
      knowledge: { embedding: 'vectors' },
      agents: {
        chatty: { runner, config: { model: 'chat', fallback_models: ['spare'] }, policy: { steering: true } },
        claude: { runner, config: { model: 'claude' } },
        forgetful: { runner, config: { model: 'short', tools: [] } },
      },
      ...more,
    };
    const host = new HostProcess({}, config);
    await host.start();
    const world = new AgentWorld(models, host);
    await world.toolsReady();
    return world;
  }

  /** Servers are connected in the background: a run that begins earlier has none of their tools. */
  async toolsReady(): Promise<void> {
    for (let n = 0; n < 200; n += 1) {
      const { body } = await this.host.request('GET', '/api/v1/tools');
      const names = (body.items as { name: string }[]).map(({ name }) => name);
      if (names.includes('everything__echo')) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the tools did not come: ${this.host.output}`);
  }

  async ask(text: string, options: { agentId?: string; threadId?: string } = {}): Promise<Answer> {
    const threadId = options.threadId ?? randomUUID();
    return this.follow(await this.host.accept(text, { ...options, threadId }));
  }

  async follow(taskId: string): Promise<Answer> {
    const frames = await this.host.events(taskId);
    return { taskId, text: textOf(frames), frames, end: frames.at(-1)?.event ?? { type: 'none' } };
  }

  async close(): Promise<void> {
    await this.host.dispose();
    await this.models.close();
  }
}
