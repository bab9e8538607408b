import { defineRunner } from '@rostra/runner-sdk';
import { answer } from './answer.ts';
import { configForm } from './config-form.ts';
import type { World } from './turn-run.ts';

export function localAgent(world: World) {
  return defineRunner({
    manifest: {
      id: 'rostra/local-agent/default',
      name: 'default',
      label: { en_US: 'Local agent', zh_Hans: '本地智能体' },
      description: {
        en_US: 'Answers with the models, tools and knowledge of this host.',
        zh_Hans: '用这台主机的模型、工具和知识库来回答。',
      },
      capabilities: {
        streaming: true,
        tool_calling: true,
        knowledge_retrieval: true,
        multimodal_input: true,
        interrupt: true,
        stateful_session: true,
        steering: true,
        resumable: true,
        interactions: true,
      },
      permissions: {
        models: ['invoke', 'stream', 'rerank', 'count_tokens'],
        tools: ['detail', 'call'],
        knowledge_bases: ['list', 'retrieve'],
        history: ['page'],
        artifacts: ['metadata', 'read'],
        storage: ['binding'],
        interactions: ['form', 'choice'],
      },
      config_schema: configForm,
    },
    run: (context, tools) => answer(context, tools, world),
  });
}
