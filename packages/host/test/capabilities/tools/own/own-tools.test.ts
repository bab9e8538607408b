import type { RequestListener } from 'node:http';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { OwnTools } from '../../../../src/capabilities/tools/own/own-tools.ts';
import { PageText } from '../../../../src/capabilities/tools/own/page-text.ts';
import type { ToolCaller } from '../../../../src/capabilities/tools/tool-source.ts';
import { ManualClock } from '../../../manual-clock.ts';
import { listen } from '../../egress/loopback.ts';

const page_worker = new URL('../../../../dist/page-worker.js', import.meta.url);

function caller(signal = new AbortController().signal): ToolCaller {
  return { run_id: 't.1', session_id: 's', agent_id: 'guide', signal };
}

function ownTools(clock = new ManualClock(), ports: number[] = []): OwnTools {
  return new OwnTools({
    policies: () => ({ time: 'allow', fetch: 'ask' }),
    clock,
    page_worker,
    egress: { ports, resolve: async () => ['127.0.0.1'], isAllowed: (address) => address === '127.0.0.1' },
  });
}

describe('the host’s own tools', () => {
  it('are offered as the configuration says at the moment, with what a model needs to call them', () => {
    let fetch: 'ask' | 'deny' = 'ask';
    const clock = new ManualClock();
    const tools = new OwnTools({ policies: () => ({ time: 'allow', fetch }), clock, page_worker });
    expect(tools.offers().map(({ resource, policy }) => [resource.tool_name, resource.owner, policy])).toEqual([
      ['time', 'host', 'allow'],
      ['fetch', 'host', 'ask'],
    ]);
    expect(tools.offers().map(({ resource }) => resource.parameters)).toMatchObject([
      { type: 'object', properties: { timezone: { type: 'string', description: expect.any(String) } } },
      { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    ]);
    fetch = 'deny';
    expect(tools.offers()[1]?.policy).toBe('deny');
  });

  it('refuse parameters that are none of theirs with the place', async () => {
    const wrong: [string, JsonObject, string][] = [
      ['time', { timezone: 'Oslo/Europe' }, 'timezone: is no name of a time zone'],
      ['time', { zone: 'UTC' }, 'Unrecognized key'],
      ['fetch', {}, 'url: '],
      ['fetch', { url: 7 }, 'url: '],
    ];
    for (const [name, parameters, words] of wrong) {
      await expect(ownTools().call(name, parameters, caller())).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(words),
        details: { reason: 'TOOL_ARGUMENTS' },
      });
    }
    await expect(ownTools().call('shell', {}, caller())).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('time', () => {
  it('is told in the zone that was asked for, UTC unless told', async () => {
    const now = Date.parse('2026-07-01T22:30:00Z');
    const clock = Object.assign(new ManualClock(), { now: () => now });
    const told = async (parameters: JsonObject) => (await ownTools(clock).call('time', parameters, caller())).content;
    expect(await told({})).toEqual({
      timezone: 'UTC',
      local: '2026-07-01T22:30:00+00:00',
      weekday: 'Wednesday',
      utc: '2026-07-01T22:30:00.000Z',
    });
    expect(await told({ timezone: 'Europe/Oslo' })).toMatchObject({
      local: '2026-07-02T00:30:00+02:00',
      weekday: 'Thursday',
    });
    expect(await told({ timezone: 'America/St_Johns' })).toMatchObject({ local: '2026-07-01T20:00:00-02:30' });
  });
});

describe('fetch', () => {
  async function fetched(answer: RequestListener, clock = new ManualClock()): Promise<string> {
    const { port } = await listen('127.0.0.1', answer);
    const { content } = await ownTools(clock, [port]).call('fetch', { url: `http://page.test:${port}/a` }, caller());
    if (typeof content !== 'string') throw new Error('a page is a text');
    expect(content.split('\n')[0]).toBe(`http://page.test:${port}/a`);
    return content.slice(content.indexOf('\n\n') + 2);
  }

  const sends =
    (body: string | Buffer, type?: string): RequestListener =>
    (_request, response) => {
      if (type !== undefined) response.setHeader('content-type', type);
      response.end(body);
    };

  it('makes Markdown of a page, without what nobody reads of it', async () => {
    const page = `<!doctype html><html><head><title>A &amp; B</title><style>p{}</style></head>
      <body><script>alert("no")</script><!-- nor this --><h2>Head</h2><p>Some <b>bold</b> words and
      <a href="/x">a link</a></p><ul><li>one</li><li>two</li></ul></body></html>`;
    const text = await fetched(sends(page, 'text/html; charset=utf-8'));
    expect(text).toContain('# A & B');
    expect(text).toContain('## Head');
    expect(text).toContain('Some **bold** words and [a link](/x)');
    expect(text).toMatch(/- {1,3}one\n- {1,3}two/);
    expect(text).not.toMatch(/alert|nor this|p\{\}/);
  });

  it('gives JSON and other texts as they stand', async () => {
    expect(await fetched(sends('{"a": 1}', 'application/json'))).toBe('{"a": 1}');
    expect(await fetched(sends('a,b', 'text/csv'))).toBe('a,b');
    expect(await fetched(sends('plain'))).toBe('plain');
  });

  it('reads the characters that a page says it has', async () => {
    expect(await fetched(sends(Buffer.from([0xe6, 0xf8, 0xe5]), 'text/plain; charset=iso-8859-1'))).toBe('æøå');
    const declared = Buffer.concat([
      Buffer.from('<meta charset="windows-1252"><p>'),
      Buffer.from([0xe6]),
      Buffer.from('</p>'),
    ]);
    expect(await fetched(sends(declared, 'text/html'))).toBe('æ');
    expect(await fetched(sends(Buffer.from('\ufeffwide', 'utf16le'), 'text/plain'))).toBe('wide');
    expect(await fetched(sends('x', 'text/plain; charset=nonsense'))).toBe('x');
  });

  it.each([
    ['image/png', 'What is there is no text but image/png.'],
    ['application/octet-stream', 'What is there is no text but application/octet-stream.'],
    ['text/plain', 'What is there is no text but text/plain.'],
  ])('reads nothing binary, whatever it is called: %s', async (type, message) => {
    const answer = sends(Buffer.from([0x89, 0x50, 0, 0, 1, 2]), type);
    await expect(fetched(answer)).rejects.toMatchObject({ message, details: { reason: 'TOOL_FAILED' } });
  });

  it('tells the status of a page that is not there', async () => {
    const answer: RequestListener = (_request, response) => {
      response.writeHead(404);
      response.end('no such page');
    };
    await expect(fetched(answer)).rejects.toMatchObject({ message: 'The page answered with the status 404.' });
  });

  it('tells a page that falls over its maker of texts by its bare words', async () => {
    const deep = `<title>Deep</title>${'<div>'.repeat(20_000)}words${'</div>'.repeat(20_000)}`;
    const clock = new ManualClock();
    const { port } = await listen('127.0.0.1', sends(deep, 'text/html'));
    const reading = ownTools(clock, [port]).call('fetch', { url: `http://page.test:${port}/` }, caller());
    // Whether it falls or takes for ever is the page's affair.
    const ticking = setInterval(() => clock.advance(limits.page_text), 300);
    const { content } = await reading.finally(() => clearInterval(ticking));
    expect(content).toMatch(/# Deep\n\nwords$/);
  });

  it('is not kept waiting by those who gave up while they waited', async () => {
    const page = '<!doctype html><h1>Here</h1>';
    const pages = new PageText({ worker: page_worker, clock: new ManualClock() });
    const given = new AbortController();
    const { signal } = new AbortController();
    const early = Array.from({ length: limits.page_text_threads }, () => pages.of(page, signal));
    const gone = Array.from({ length: 8 }, () => pages.of(page, given.signal).catch(() => 'gone'));
    const last = pages.of(page, signal);
    given.abort();
    expect(await Promise.all([...early, last])).toEqual(Array(limits.page_text_threads + 1).fill('# Here'));
    expect(new Set(await Promise.all(gone))).toEqual(new Set(['gone']));
  });

  it('is over when nobody waits for it any more', async () => {
    const given = new AbortController();
    const { port, asked } = await listen('127.0.0.1', () => undefined);
    const reading = ownTools(new ManualClock(), [port]).call(
      'fetch',
      { url: `http://page.test:${port}/` },
      caller(given.signal),
    );
    const outcome = expect(reading).rejects.toThrow('enough');
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    given.abort(new Error('enough'));
    await outcome;
  });
});
