import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commands } from '../src/commands/table.ts';
import { spoken } from '../src/speech.ts';
import { topicOf } from '../src/topic.ts';
import { chinese, chineseDefault } from '../src/topics/chinese.ts';
import { english, englishDefault } from '../src/topics/english.ts';
import { asked, chunksOf } from './asked.ts';
import { runContext } from './run-context.ts';

test('both languages know the same topics', () => {
  expect(chinese.map(({ id }) => id)).toEqual(english.map(({ id }) => id));
  expect(english.length).toBeGreaterThanOrEqual(12);
});

test('nobody but the topic of that name speaks of what is still to come', () => {
  for (const { id, answer, next, detail } of [...english, ...chinese]) {
    if (id !== 'roadmap')
      expect(`${answer} ${next} ${detail}`, id).not.toMatch(/roadmap|to come|not yet|路线图|还没有/);
  }
});

test('every command that a topic names is one', () => {
  for (const { id, answer, next, detail } of [...english, ...chinese]) {
    const named =
      `${answer} ${next} ${detail}`.match(/(?<=^|\s|、|：|；|。|，)\/(?!healthz|readyz)[a-z]+(?![\w/])/g) ?? [];
    for (const name of named) expect([...commands.keys()], `${id}: ${name}`).toContain(name);
  }
});

test.each([
  ['Hello!', 'greeting'],
  ['hi, how do I stop a run?', 'cancel'],
  ['What is Rostra?', 'what'],
  ['Rostra?', 'what'],
  ['How do I start Rostra?', 'start'],
  ['how can I cancel', 'cancel'],
  ['my page was reloaded, can I resume the stream?', 'resume'],
  ['what happens after a restart', 'restart'],
  ['Can several agents work together?', 'agents'],
  ['how do I write my own runner', 'runner'],
  ['Can I use a real model like GPT?', 'model'],
  ['where is my data', 'data'],
  ['show me the API with curl', 'api'],
  ['is it secure? which permissions?', 'security'],
  ['How fast is it?', 'performance'],
  ['who are you', 'who'],
  ['What can you do?', 'help'],
  ['do you remember what I said', 'log'],
  ['what is planned', 'roadmap'],
  ['thank you', 'thanks'],
])('"%s" is about %s', (text, id) => {
  expect(topicOf(text, english)?.id).toBe(id);
});

test.each([
  ['你好', 'greeting'],
  ['Rostra是什么？', 'what'],
  ['怎么启动 Rostra', 'start'],
  ['怎样取消一次运行', 'cancel'],
  ['断线之后能恢复吗', 'resume'],
  ['重启以后会丢数据吗', 'restart'],
  ['可以有多个智能体吗', 'agents'],
  ['怎样写一个运行器', 'runner'],
  ['能接大模型吗', 'model'],
  ['数据存在哪里', 'data'],
  ['接口怎么调用', 'api'],
  ['安全吗，权限怎么管', 'security'],
  ['性能怎么样', 'performance'],
  ['你是谁', 'who'],
  ['你能做什么', 'help'],
  ['你记得我说过的话吗', 'log'],
])('"%s" is about %s', (text, id) => {
  expect(topicOf(text, chinese)?.id).toBe(id);
});

test.each(['', 'zebra crossing', '🚀', 'startle the dataset'])('"%s" is about nothing known', (text) => {
  expect(topicOf(text, english)).toBeUndefined();
});

test('every topic can be reached by each of its own words', () => {
  for (const topics of [english, chinese]) {
    for (const { id, keywords, hints = [] } of topics) {
      for (const word of [...keywords, ...hints]) expect(topicOf(word, topics)?.id, word).toBe(id);
    }
  }
});

test('the answer is in the language of the question, whatever the client speaks', async () => {
  const [en, zh] = [
    await asked(runContext('how do I start?', { locale: 'zh-CN' })),
    await asked(runContext('怎么启动？')),
  ];
  expect(en.said).not.toMatch(/\p{Script=Han}/u);
  expect(zh.said).toMatch(/^\p{ASCII}+\p{Script=Han}/u);
});

test('without words of its own a question is answered in the language of the client', async () => {
  expect((await asked(runContext(null, { locale: 'zh-CN' }))).said).toContain(chineseDefault.answer);
  expect((await asked(runContext('   '))).said).toContain(englishDefault.answer);
});

test('what nobody knows gets an answer that offers /help, and never an echo', async () => {
  const { said } = await asked(runContext('zebra crossing'));
  expect(said).toContain('/help');
  expect(said).not.toContain('zebra');
});

test('guide adds where to go, scout how it works', async () => {
  const topic = english.find(({ id }) => id === 'resume')!;
  const [guide, scout] = await Promise.all([
    asked(runContext('resume')),
    asked(runContext('resume', { config: { agent_id: 'scout' } })),
  ]);
  expect(guide.said).toBe(`${topic.answer} ${topic.next}`);
  expect(scout.said).toBe(`${topic.answer} ${topic.detail}`);
});

test('an answer comes in a few chunks that join to the whole', async () => {
  const { results } = await asked(runContext('What is Rostra?'));
  expect(results.length).toBeGreaterThan(3);
  expect(results.length).toBeLessThan(20);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (sentence) => {
      expect(chunksOf([...spoken(sentence)]).join('')).toBe(sentence);
    }),
  );
});
