/** A query with every field that an adapter reads, as a pipeline dumps it. */
export const fullQuery = {
  query_id: 41,
  launcher_type: 'group',
  launcher_id: 7788,
  sender_id: 1234,
  bot_uuid: 'bot-1',
  pipeline_uuid: 'pipe-1',
  pipeline_config: {
    ai: {
      runner: { id: 'acme/agents/default' },
      runner_config: {
        'acme/agents/default': {
          'max-round': 4,
          model: { primary: 'm1' },
          'api-key': 'sk-canary-config-key',
          'knowledge-bases': ['kb1', 'kb2'],
          max_tokens: 100,
        },
      },
    },
    output: { misc: { 'at-sender': true } },
  },
  message_event: {
    type: 'GroupMessage',
    time: 1_700_000_000.9,
    sender: { id: 1234, member_name: 'Ada', permission: 'MEMBER' },
    message_chain: [{ type: 'Plain', text: 'hello' }],
    group: { name: 'Club' },
    bot_token: 'canary-bot-token',
    source_platform_object: { update_id: 9, access_token: 'canary-access-token' },
  },
  message_chain: [
    { type: 'Source', id: 'msg-5', time: 1_700_000_000 },
    { type: 'Plain', text: 'hello' },
    { type: 'Image', url: 'https://cdn.example/1.png', base64: 'data:image/png;base64,iVBORw0KGgo=' },
  ],
  session: { using_conversation: { uuid: 'conv-3' } },
  user_message: {
    role: 'user',
    content: [
      { type: 'text', text: 'hello ' },
      { type: 'text', text: 'there' },
      { type: 'image_url', image_url: { url: 'https://cdn.example/1.png' } },
      { type: 'image_base64', image_base64: 'data:image/jpeg;base64,/9j/4AAQ' },
      { type: 'file_base64', file_base64: 'aGk=', file_name: 'hi.txt' },
      { type: 'file_url', file_url: 'https://cdn.example/x.bin', file_name: 'x.bin' },
    ],
  },
  variables: {
    session_name: 'group_7788',
    note: 'the key is sk-canary-config-key, keep it',
    user_password: 'canary-password-1',
    nested: { apiKey: 'canary-nested-key', count: 3 },
    _pipeline_bound_plugins: ['acme/agents'],
  },
  messages: [{ role: 'user', content: 'canary-earlier-message' }],
  prompt: { name: 'default', messages: [{ role: 'system', content: 'canary-prompt: be kind' }] },
  use_llm_model_uuid: 'm1',
  use_funcs: [{ name: 'search', human_desc: '', description: '', parameters: {} }],
  current_stage_name: 'MessageProcessor',
  resp_messages: [],
};

/** As older pipelines have it: the runner by its name, its configuration under that. */
export const olderQuery = {
  query_id: 1,
  launcher_type: 'person',
  launcher_id: 'u1',
  sender_id: 'u1',
  pipeline_config: {
    ai: { runner: { runner: 'local-agent' }, 'local-agent': { max_round: 2, model: 'm0' } },
  },
  message_event: { type: 'FriendMessage', time: 12, sender: { id: 'u1', nickname: 'Bob' } },
  message_chain: [
    { type: 'Source', id: -1, time: 12 },
    { type: 'Plain', text: 'hi' },
    { type: 'Voice', base64: 'AAAA' },
  ],
};
