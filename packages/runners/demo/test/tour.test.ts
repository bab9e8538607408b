import type { InteractionOutcome, RunResult } from '@rostra/runner-sdk';
import { ApiError } from '@rostra/runner-sdk';
import { type ApiAnswers, testHost, testKeep } from '@rostra/runner-sdk/testing';
import { describe, expect, test } from 'vitest';
import { demoRunner } from '../src/runner.ts';
import { COUNT } from '../src/tour/break-it.ts';
import { choiceOf, choices, labels } from '../src/tour/choice.ts';
import { asked } from './asked.ts';
import { runContext } from './run-context.ts';

const demo = demoRunner({ now: () => new Date(0), roll: (sides) => sides, exit: () => undefined });

/** The last whole message, and the texts that its buttons send. */
function cardOf(results: readonly RunResult[]) {
  const last = results.findLast(({ type }) => type === 'message.completed');
  if (last?.type !== 'message.completed') throw new Error('no whole message');
  const { content, ui_hints = null } = last.data.message;
  const sent = [...JSON.stringify(ui_hints).matchAll(/"type":"send_message","text":"([^"]+)"/g)];
  return { content, sent: sent.map(([, text]) => text) };
}

describe('a choice', () => {
  test.each(['en', 'zh'] as const)('is named by its number and its label (%s)', (language) => {
    for (const [index, choice] of choices.entries()) {
      const label = labels[choice][language];
      const ways = [`${index + 1}`, ` ${index + 1}. `, label, label.toUpperCase(), `${label}!`, `${label}。`];
      expect(ways.map(choiceOf)).toEqual(ways.map(() => choice));
    }
  });

  test('is nothing else', () => {
    for (const text of ['', '0', '5', '11', '1 and 2', 'break', 'two agents please']) expect(choiceOf(text)).toBeNull();
    expect(choiceOf('３')).toBe('break_it');
  });
});

describe('the greeting', () => {
  function welcome(locale = 'C.UTF-8') {
    const made = runContext(null, { locale });
    return { ...made, event: { ...made.event, event_type: 'session.welcome', source: 'system' } };
  }

  test('has a card with a button for each choice, and its text names them, too', async () => {
    const { said, results } = await asked(welcome());
    const { content, sent } = cardOf(results);
    expect(content).toBe(said);
    expect(sent).toEqual(choices.map((choice) => labels[choice].en));
    expect(said).toMatch(/^Hello, I am guide\..+1 Two agents, 2 Ask me first, 3 Break it, 4 Use a real model\.$/s);
  });

  test('is in Chinese where the host is', async () => {
    const { said, results } = await asked(welcome('zh_CN.UTF-8'));
    expect(said).toMatch(/^你好，我是 guide。/);
    expect(cardOf(results).sent).toEqual(choices.map((choice) => labels[choice].zh));
  });

  test('comes again by /tour, and a card that was shown whole is not shown twice', async () => {
    const { said } = await asked(runContext('/tour', { locale: 'zh-CN' }));
    expect(said).toMatch(/^你好/);
    const again = await asked(runContext('/ui', { said: 'Event created: Your meeting was created successfully.' }));
    expect(again.results).toEqual([]);
  });
});

describe('Two agents', () => {
  test.each([
    ['1', 'guide', 'scout'],
    ['Two agents', 'scout', 'guide'],
    ['两个智能体', 'guide', 'scout'],
  ])('%s: %s calls a tool, and asks to hand over to %s', async (text, name, other) => {
    const { results, types } = await asked(runContext(text, { config: { name } }));
    expect(types.filter((type) => type !== 'message.delta')).toEqual([
      'tool.call.started',
      'tool.call.completed',
      'action.requested',
    ]);
    expect(results.at(-1)).toMatchObject({
      data: {
        action: 'session.handover',
        target: { agent_id: other },
        payload: { summary: expect.stringContaining('2026-03-15') },
      },
    });
  });

  const time = { tool_name: 'time', tool_type: 'host', owner: 'host', description: 'd', parameters: {} };

  test.each([
    ['says what the tool of the host says', () => ({ result: { utc: '2030-01-01T00:00:00.000Z' } }), '2030-01-01'],
    ['has a clock of its own where the host refuses', () => Promise.reject(new ApiError('unauthorized', 'no')), '1970'],
  ])('%s', async (_, answer, said) => {
    const host = testHost(demo, { api: { 'tools.call': answer } as ApiAnswers });
    const resources = { ...runContext(null).resources, tools: [{ ...time, operations: ['call' as const] }] };
    const run = host.run({ text: '1', context: { resources } });
    await run.ended;
    await host.close();
    expect(host.calls.map(({ method }) => method)).toEqual(['tools.call']);
    expect(run.text).toContain(`It says ${said}`);
  });

  test('whoever takes over quotes what was said, and shows the way on', async () => {
    const host = testHost(demo, { keep: testKeep({ history: ['Two agents', 'It says …'] }) });
    const data = { from_agent_id: 'guide', reason: 'r', summary: 's', output: 'It says …' };
    const event = { ...runContext(null).event, event_type: 'session.handover', data };
    const run = host.run({ context: { event, config: { name: 'scout' } } });
    await run.ended;
    await host.close();
    expect(run.text).toMatch(
      /^I am scout.+You said: “Two agents” The last words of guide were: “It says …”.+type 1 to 4\.$/s,
    );
    const last = run.results.findLast(([, type]) => type === 'message.completed');
    expect(JSON.stringify(last)).toContain('send_message');
  });
});

describe('Ask me first', () => {
  const open: InteractionOutcome = { interaction_id: 'q', status: 'open', action: null, values: {} };

  test.each([
    ['approve', 'submitted', /You said yes, so the file is there\./, 1],
    ['deny', 'submitted', /You said no, so nothing was done\./, 0],
    [null, 'expired', /Nobody answered in time, so nothing was done\./, 0],
  ] as const)('does it after a yes and not otherwise: %s', async (action, status, end, files) => {
    const keep = testKeep();
    const host = testHost(demo, {
      keep,
      api: {
        'interactions.request': () => open,
        'interactions.wait': ({ interaction_id }) => ({ interaction_id, status, action, values: {} }),
      },
    });
    const run = host.run('Ask me first');
    await run.ended;
    await host.close();
    expect(run.text).toMatch(end);
    expect([...keep.artifacts.values()].map(({ data }) => data.name)).toHaveLength(files);
  });

  test('asks nothing again after a restart, and says only what is new', async () => {
    const interaction_answer = { interaction_id: 'q', action_id: 'deny', values: {} };
    const whole = await asked({
      ...runContext('2'),
      metadata: { resume: { attempt: 2, said: '', interaction_answer } },
    });
    const opening = whole.said.slice(0, whole.said.indexOf('You said no'));
    for (const earlier of [opening, opening.slice(0, 30)]) {
      const context = { ...runContext('2'), metadata: { resume: { attempt: 2, said: earlier, interaction_answer } } };
      const { said, results } = await asked(context, { tools: { ask: never } });
      expect(said).toBe(whole.said.slice(earlier.length));
      const messages = results.filter(({ type }) => type === 'message.completed');
      expect(messages).toHaveLength(earlier === opening ? 1 : 2);
      expect(cardOf(results).content).toMatch(/^You said no/);
    }
  });

  function never(): never {
    throw new Error('asked again');
  }
});

describe('Break it', () => {
  test('counts for forty seconds and says what to try', async () => {
    const { said, slept } = await asked(runContext('Break it'));
    expect(slept).toHaveLength(COUNT - 1);
    expect(slept.reduce((sum, each) => sum + each, 0)).toBeCloseTo(40_000, -3);
    const numbers = Array.from({ length: COUNT }, (_, index) => `${index + 1} `).join('');
    expect(said).toContain(`\n\n${numbers}\n\nThat was ${COUNT}`);
    for (const words of ['reload', 'second tab', 'Stop', 'restart the server']) expect(said).toContain(words);
  });

  test('goes on behind what was said, wherever it was cut, and waits only for the rest', async () => {
    const { said: whole, results } = await asked(runContext('试着弄坏它'));
    expect(cardOf(results).content).toBe(whole);
    const cuts = [
      [1, COUNT - 1],
      [whole.indexOf('57 ') + 1, COUNT - 56],
      [whole.indexOf('199 '), 2],
      [whole.length - 3, 0],
    ] as const;
    for (const [cut, pauses] of cuts) {
      const { said, slept, results: rest } = await asked(runContext('试着弄坏它', { said: whole.slice(0, cut) }));
      expect({ said, pauses: slept.length }).toEqual({ said: whole.slice(cut), pauses });
      expect(cardOf(rest).content).toBe(whole);
    }
  });
});

describe('Use a real model', () => {
  test.each([
    ['4', 'No model was found on this machine', 'does Ollama'],
    ['使用真实模型', '这台机器上没有找到模型', 'Ollama'],
  ])('%s says the two lines where none was found', async (text, none, ollama) => {
    const { said } = await asked(runContext(text));
    expect(said).toContain(none);
    expect(said).toContain('export ANTHROPIC_API_KEY=…\nnpm start\n');
    for (const way of ['OPENAI_API_KEY', 'GEMINI_API_KEY', ollama]) expect(said).toContain(way);
  });

  test('says what was found', async () => {
    const found = 'anthropic/m by ANTHROPIC_API_KEY: the agent assistant answers';
    const { said } = await asked(runContext('4', { config: { name: 'guide', found } }));
    expect(said).toContain(`\n> ${found}\n`);
    expect(said).toContain('@assistant');
  });
});
