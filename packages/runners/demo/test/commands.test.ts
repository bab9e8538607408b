import { expect, test } from 'vitest';
import { commands } from '../src/commands/table.ts';
import { asked, chunksOf } from './asked.ts';
import { runContext } from './run-context.ts';

test.each([1, 50, 10_000])('/stream %i makes exactly that many chunks', async (count) => {
  const { results } = await asked(runContext(`/stream ${count}`));
  expect(chunksOf(results)).toEqual(Array.from({ length: count }, (_, k) => `chunk-${k + 1} `));
});

test.each(['/stream', '/stream 0', '/stream 10001', '/stream -1', '/stream 1.5', '/stream many', '/stream 5 5'])(
  '%s is answered with the usage',
  async (text) => {
    const { said, types } = await asked(runContext(text));
    expect(said).toBe('Usage: /stream N. N is a whole number from 1 to 10000; try /stream 50.');
    expect(new Set(types)).toEqual(new Set(['message.delta']));
  },
);

test('/slow pauses between its chunks, not before the first', async () => {
  const { said, slept } = await asked(runContext('/slow 3 20'));
  expect({ said, slept }).toEqual({ said: 'chunk-1 chunk-2 chunk-3 ', slept: [20, 20] });
});

test('/slow ends where its pause is cut short', async () => {
  const sleep = () => Promise.reject(new Error('aborted'));
  await expect(asked(runContext('/slow 3 20'), { tools: { sleep } })).rejects.toThrow('aborted');
});

test('/slow goes on behind what an earlier attempt said, and waits only for the rest', async () => {
  const { said, slept } = await asked(runContext('/slow 4 20', { said: 'chunk-1 chunk-2 ' }));
  expect({ said, slept }).toEqual({ said: 'chunk-3 chunk-4 ', slept: [20, 20] });
});

test.each(['/stream 500', '/help', 'What is Rostra?'])(
  '%s goes on in the middle of a chunk, wherever it was cut',
  async (text) => {
    const whole = (await asked(runContext(text))).said;
    for (const cut of [1, 7, 40, whole.length - 1, whole.length]) {
      const { said } = await asked(runContext(text, { said: whole.slice(0, cut) }));
      expect(said).toBe(whole.slice(cut));
    }
  },
);

test('/fail fails by the name demo.failed', async () => {
  const { results } = await asked(runContext('/fail'));
  expect(results).toMatchObject([{ type: 'run.failed', data: { code: 'demo.failed', retryable: false } }]);
});

test('/crash leaves only after its three chunks have left', async () => {
  const order: string[] = [];
  const flushed = async () => void order.push('flushed');
  const { said } = await asked(runContext('/crash'), {
    tools: { flushed },
    world: { exit: (code) => void order.push(`exit ${code}`) },
  });
  expect(said).toBe('chunk-1 chunk-2 chunk-3 ');
  expect(order).toEqual(['flushed', 'exit 1']);
});

test('/hang is silent and obeys a cancel, also one that came first', async () => {
  const abort = new AbortController();
  const hanging = asked(runContext('/hang'), { tools: { signal: abort.signal } });
  abort.abort();
  expect((await hanging).results).toEqual([]);
  expect((await asked(runContext('/hang'), { tools: { signal: abort.signal } })).results).toEqual([]);
});

test('/hang hard ignores a cancel', async () => {
  const abort = new AbortController();
  const hanging = asked(runContext('/hang hard'), { tools: { signal: abort.signal } }).then(() => 'ended');
  abort.abort();
  const later = new Promise((resolve) => setImmediate(resolve, 'still silent'));
  expect(await Promise.race([hanging, later])).toBe('still silent');
});

test.each([
  ['/tool', 'clock', { time: '2026-03-15T10:00:00.000Z' }, 'The clock says 2026-03-15T10:00:00.000Z (UTC).'],
  ['/tool dice', 'dice', { value: 6 }, 'The die shows 6.'],
])('%s calls a tool and says its result', async (text, name, result, sentence) => {
  const { results, said } = await asked(runContext(text));
  const call = { tool_call_id: 'run-1.tool-1', tool_name: name };
  expect(results.slice(0, 2)).toMatchObject([
    { type: 'tool.call.started', data: call },
    { type: 'tool.call.completed', data: { ...call, result } },
  ]);
  expect(said).toBe(sentence);
});

test.each([
  ['zh-CN', '日程已创建', '日程已创建：您的会议日程创建成功。', 'zh-CN'],
  ['en-GB', 'Event created', 'Event created: Your meeting was created successfully.', 'en-US'],
])(
  '/ui for a client in %s is one message with a card and a text for it',
  async (locale, title, content, cardLocale) => {
    const { results } = await asked(runContext('/ui', { locale }));
    const children = [
      { type: 'text', content: title, role: 'title' },
      { type: 'badge', label: 'SUCCESS', status: 'success' },
      { type: 'text', role: 'body' },
      { type: 'kv' },
      { type: 'stack', children: [{ type: 'button' }, { type: 'button' }, { type: 'button' }] },
      { type: 'form', id: 'note' },
    ];
    const ui_hints = { status: 'success', locale: cardLocale, root: { type: 'stack', appearance: 'card', children } };
    expect(results).toMatchObject([{ type: 'message.completed', data: { message: { content, ui_hints } } }]);
  },
);

test.each([
  ['/client-tool get_weather {"city":"北京"}', /没有提供工具/],
  ['/client-tool get_weather {"city":"Oslo"}', /offers no tools/],
  ['/artifact 64', /may not keep files here/],
  ['/state colour dark blue', /may not keep values here/],
  ['/state colour', /may not keep values here/],
  ['/history', /may not read what was said before/],
  ['/history 数据库', /我不能读取之前的对话/],
])('%s says in one sentence that it cannot be done here', async (text, sentence) => {
  const { said, types } = await asked(runContext(text));
  expect(said).toMatch(sentence);
  expect(new Set(types)).toEqual(new Set(['message.delta']));
});

test.each([
  ['/slow 3', 'Usage: /slow N MS.'],
  ['/slow 3 60001', 'Usage: /slow N MS.'],
  ['/hang soft', 'Usage: /hang [hard].'],
  ['/tool hammer', 'Usage: /tool [clock|dice].'],
  ['/client-tool', 'Usage: /client-tool NAME[,NAME] JSON.'],
  ['/client-tool x [1]', 'Usage: /client-tool NAME[,NAME] JSON.'],
  ['/client-tool x {"a":', 'Usage: /client-tool NAME[,NAME] JSON.'],
  ['/artifact 0', 'Usage: /artifact KB.'],
  ['/state', 'Usage: /state KEY [VALUE].'],
  ['/handover scout', 'Usage: /handover AGENT REASON.'],
  ['/handover guide once more', 'You are talking to guide already'],
])('%s gets the usage line', async (text, usage) => {
  expect((await asked(runContext(text))).said).toContain(usage);
});

test('a usage line in Chinese goes to a client in Chinese', async () => {
  expect((await asked(runContext('/stream', { locale: 'zh_Hans' }))).said).toMatch(/^用法：\/stream N。/);
});

test.each([
  ['/strem 5', '/stream'],
  ['/str', '/stream'],
  ['/halp', '/help'],
  ['/clienttool', '/client-tool'],
  ['/', '/'],
])('%s is said to be unknown, with the nearest command', async (text, nearest) => {
  const { said } = await asked(runContext(text));
  expect(said).toMatch(/^There is no command /);
  expect(said).toContain(`the nearest is ${nearest}`);
  expect(said).toContain('/help');
});

test('an endless command name is not repeated', async () => {
  expect((await asked(runContext(`/${'x'.repeat(9000)}`))).said.length).toBeLessThan(150);
});

test('a command is known in any case and with any spaces around it', async () => {
  expect((await asked(runContext('  /Stream   2 \n'))).said).toBe('chunk-1 chunk-2 ');
});

test.each(['en-US', 'zh-CN'])('/help for %s names every command', async (locale) => {
  const { said } = await asked(runContext('/help', { locale }));
  for (const name of commands.keys()) expect(said).toContain(`\`${name}`);
});

test('guide and scout introduce themselves differently', async () => {
  const [guide, scout] = await Promise.all([
    asked(runContext('/help')),
    asked(runContext('/help', { config: { name: 'scout' } })),
  ]);
  expect(guide.said).toMatch(/^I am guide/);
  expect(scout.said).toMatch(/^I am scout/);
});
