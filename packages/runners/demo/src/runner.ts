import { defineRunner } from '@rostra/runner-sdk';
import { answer } from './answer.ts';
import type { World } from './world.ts';

export function demoRunner(world: World) {
  return defineRunner({
    manifest: {
      id: 'rostra/demo/default',
      name: 'default',
      label: { en_US: 'Demo', zh_Hans: '演示' },
      description: {
        en_US: 'Needs no key: answers questions about Rostra and shows what the host does.',
        zh_Hans: '不需要密钥：回答关于 Rostra 的问题，并展示主机能做什么。',
      },
      capabilities: {
        streaming: true,
        tool_calling: true,
        interrupt: true,
        stateful_session: true,
        interactions: true,
        resumable: true,
      },
      permissions: {
        history: ['page', 'search'],
        events: ['get', 'page'],
        artifacts: ['metadata', 'read'],
        tools: ['detail', 'call'],
        interactions: ['form', 'confirmation', 'choice'],
      },
      context: { supports_history_search: true },
    },
    run: (context, tools) => answer(context, tools, world),
  });
}
