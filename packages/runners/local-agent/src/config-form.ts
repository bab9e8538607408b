import type { DynamicFormItem } from '@rostra/runner-sdk';

/** Bounds and usual values of what can be configured; the form shows them and the settings hold to them. */
export const usual = {
  top_k: { default: 5, min: 1, max: 20 },
  max_iterations: { default: 12, min: 1, max: 100 },
  max_tool_result_chars: { default: 16_000, min: 200, max: 200_000 },
  context_window: { min: 1000, max: 10_000_000 },
  temperature: { min: 0, max: 2 },
} as const;

type Item = Pick<DynamicFormItem, 'name' | 'type'> & Partial<DynamicFormItem>;

function item(name: string, type: Item['type'], [en, zh]: readonly [string, string], more: Partial<Item> = {}) {
  return { name, type, label: { en_US: en, zh_Hans: zh }, required: false, options: [], ...more };
}

function about(en_US: string, zh_Hans: string) {
  return { description: { en_US, zh_Hans } };
}

/** What the owner of an agent can set. Everything has a value that works, so that an empty configuration does. */
export const configForm = [
  item(
    'model',
    'model',
    ['Model', '模型'],
    about('The first granted one unless told.', '默认使用第一个已授权的模型。'),
  ),
  item('fallback_models', 'array', ['Models in reserve', '备用模型'], {
    default: [],
    ...about('Tried in this order when the model fails before its first word.', '模型在第一个字之前失败时依次尝试。'),
  }),
  item('prompt', 'prompt', ['Prompt', '提示词'], about('What the model is told first.', '最先告诉模型的内容。')),
  item('knowledge_bases', 'knowledge-bases', ['Knowledge bases', '知识库'], {
    ...about('All that are granted unless told.', '默认使用所有已授权的知识库。'),
  }),
  item('top_k', 'integer', ['Passages to find', '检索片段数'], usual.top_k),
  item('rerank_model', 'rerank-model', ['Model that ranks passages', '重排模型'], {
    ...about('Without one the search itself ranks.', '不设置时由检索本身排序。'),
  }),
  item('tools', 'tools', ['Tools', '工具'], about('All that are granted unless told.', '默认使用所有已授权的工具。')),
  item('parallel_tools', 'boolean', ['Call tools at the same time', '并行调用工具'], { default: true }),
  item('max_iterations', 'integer', ['Steps with tools in one answer', '单次回答的工具步数'], usual.max_iterations),
  item('max_tool_result_chars', 'integer', ['Characters of a tool result', '工具结果字符数'], {
    ...usual.max_tool_result_chars,
    ...about('What is longer is cut in the middle.', '超出的部分从中间截去。'),
  }),
  item('context_window', 'integer', ['Context window', '上下文窗口'], {
    ...usual.context_window,
    ...about('Tokens; what the model says of itself unless told.', '单位为 token；默认取模型自身的值。'),
  }),
  item('temperature', 'float', ['Temperature', '温度'], usual.temperature),
  item('show_reasoning', 'boolean', ['Show reasoning', '显示推理过程'], { default: true }),
  item('handover_to', 'array', ['Agents to hand over to', '可移交的智能体'], {
    default: [],
    ...about('Their ids; beside those that the host names.', '智能体的 id；主机给出的之外。'),
  }),
  item('ask_person', 'boolean', ['May put questions into the inbox', '可以向收件箱提问'], {
    default: false,
    ...about('It then waits for the answer.', '提问后会等待回答。'),
  }),
];
