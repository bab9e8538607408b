import type { ModelMessage } from '@rostra/protocol/api/models';
import { describe, expect, it } from 'vitest';
import { ModelShelf } from '../../../src/capabilities/models/model-shelf.ts';
import { aCall, asked, canary, counter, modelWorld, providers, streamed, weather } from './model-world.ts';

const world = await modelWorld({ api_key: canary });

describe.each(providers)('a model of %s', (provider) => {
  const model = world.model({ provider });

  it('answers with one message and what it counted (RP-7.7)', async () => {
    const { message, finish_reason, usage } = await model.invoke(asked('[[say: Good morning to you.]]'), aCall());
    expect(message).toEqual({ role: 'assistant', content: 'Good morning to you.' });
    expect(finish_reason).toBe('stop');
    expect(usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 4 });
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + 4);
  });

  it('answers in pieces that make up the message (RP-7.8)', async () => {
    const { chunks, answer, text } = await streamed(model, asked('[[say: one two three]]'));
    expect(text).toBe('one two three');
    expect(answer.message.content).toBe(text);
    expect(chunks.filter(({ content }) => content !== undefined).length).toBe(3);
    expect(chunks.map(({ is_final }) => is_final)).toEqual([false, false, false, true]);
    expect(answer).toMatchObject({ finish_reason: 'stop', usage: { output_tokens: 3 } });
  });

  it('thinks apart from what it says', async () => {
    const { answer, thought, text } = await streamed(model, asked('[[think: let me see]] [[say: Yes.]]'));
    expect({ thought, text }).toEqual({ thought: 'let me see', text: 'Yes.' });
    expect(answer.message).toMatchObject({ content: 'Yes.', reasoning_content: 'let me see' });
  });

  it('calls several tools at once, each call whole', async () => {
    const prompt = '[[call: weather {"city": "Bonn"}]] [[call: weather {"city": "Kyoto"}]]';
    const { calls, answer } = await streamed(model, asked(prompt, { tools: [weather] }));
    expect(calls.map(({ name, arguments: given }) => ({ name, given }))).toEqual([
      { name: 'weather', given: { city: 'Bonn' } },
      { name: 'weather', given: { city: 'Kyoto' } },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(answer.message.tool_calls).toEqual(calls);
    const whole = await model.invoke(asked(prompt, { tools: [weather] }), aCall());
    expect(whole.message.tool_calls?.map(({ arguments: given }) => given)).toEqual([
      { city: 'Bonn' },
      { city: 'Kyoto' },
    ]);
  });

  it('is told the results of its tools and goes on', async () => {
    const messages: ModelMessage[] = [
      { role: 'system', content: 'You know the weather.' },
      { role: 'user', content: '[[call: weather {"city": "Bonn"}]] [[then]] [[quote: It is \\w+ in Bonn]]' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', name: 'weather', arguments: { city: 'Bonn' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'It is raining in Bonn today.' },
    ];
    const { text } = await streamed(model, asked(messages, { tools: [weather] }));
    expect(text).toBe('It is raining in Bonn');
  });

  it('says that it had to stop', async () => {
    const { answer } = await streamed(model, asked('[[long: 50]]', { extra_args: { max_tokens: 5 } }));
    expect(answer).toMatchObject({ finish_reason: 'length', message: { content: 'word1 word2 word3 word4 word5' } });
  });

  it('sees an image that the conversation holds', async () => {
    const artifact = { artifact_id: 'a1', name: 'a.png', mime_type: 'image/png', size_bytes: 4, sha256: null };
    const read: string[] = [];
    const bytes = async ({ artifact_id }: { artifact_id: string }) => {
      read.push(artifact_id);
      return new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    };
    const content = [
      { type: 'text' as const, text: '[[see]]' },
      { type: 'image' as const, artifact },
      { type: 'image' as const, url: 'data:image/png;base64,iVBORw==' },
    ];
    const request = asked([{ role: 'user', content }]);
    const { text } = await streamed(model, request, { ...aCall(), bytes });
    expect(text).toBe('I see 2 images.');
    expect(read).toEqual(['a1']);
    const blind = world.model({ provider, images: false });
    expect((await streamed(blind, request, { ...aCall(), bytes })).text).toBe('I see 0 images.');
    expect(read).toEqual(['a1']);
  });

  it('reads text that comes from a cache as part of what it reads', async () => {
    const { answer } = await streamed(model, asked('[[cached: 3]] [[say: hello]]'));
    expect(answer.usage).toMatchObject({ cached_input_tokens: 3 });
    expect(answer.usage?.input_tokens).toBeGreaterThan(3);
  });
});

describe('what is told beside the messages', () => {
  const sent = () => world.server.requests.at(-1)?.body ?? {};

  it('is known by the same names with every provider', async () => {
    const extra_args = { temperature: 0.5, top_p: 0.9, stop: ['END'], max_output_tokens: 77, seed: 7 };
    await world.model({ provider: 'openai-compatible' }).invoke(asked('hello', { extra_args }), aCall());
    expect(sent()).toMatchObject({ temperature: 0.5, top_p: 0.9, stop: ['END'], max_tokens: 77, seed: 7 });
    await world
      .model({ provider: 'anthropic' })
      .invoke(asked('hello', { extra_args: { stop: 'END', max_tokens: 5 } }), aCall());
    expect(sent()).toMatchObject({ stop_sequences: ['END'], max_tokens: 5 });
  });

  it('goes to the provider as it stands where only the provider knows it', async () => {
    const model = world.model({ provider: 'openai-compatible', options: { keep_alive: '5m', mirostat: 1 } });
    await model.invoke(asked('hello', { extra_args: { mirostat: 2 } }), aCall());
    expect(sent()).toMatchObject({ keep_alive: '5m', mirostat: 2 });
    await world.model({ provider: 'openai', options: { store: true } }).invoke(asked('hello'), aCall());
    expect(sent()).toMatchObject({ store: true });
  });

  it.each(['model', 'store', 'mcpServers', 'stream'])('is not for a run to say where it is %s', async (name) => {
    const before = world.server.requests.length;
    for (const provider of ['openai-compatible', 'openai', 'anthropic'] as const) {
      const work = world.model({ provider }).invoke(asked('hello', { extra_args: { [name]: 'fake-small' } }), aCall());
      await expect(work).rejects.toMatchObject({ code: 'invalid_argument', details: { path: `extra_args.${name}` } });
    }
    expect(world.server.requests.length).toBe(before);
  });

  it('leaves nothing of a conversation with the provider unless that is configured', async () => {
    await world.model({ provider: 'openai' }).invoke(asked('hello'), aCall());
    expect(sent()).toMatchObject({ store: false });
  });

  it('chooses a tool and the form of the answer', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const response_format = { type: 'json_schema', json_schema: { name: 'verdict', schema } };
    const tool_choice = { type: 'function', function: { name: 'weather' } };
    const model = world.model({ provider: 'openai-compatible' });
    await model.invoke(asked('hello', { tools: [weather], extra_args: { tool_choice, response_format } }), aCall());
    expect(sent()).toMatchObject({
      tool_choice,
      response_format: { type: 'json_schema', json_schema: { name: 'verdict' } },
    });
  });

  it('is refused before anybody is asked when it is of the wrong kind', async () => {
    const before = world.server.requests.length;
    const work = world
      .model({ provider: 'openai' })
      .invoke(asked('hello', { extra_args: { temperature: 'hot' } }), aCall());
    await expect(work).rejects.toMatchObject({ code: 'invalid_argument', details: { path: 'extra_args.temperature' } });
    expect(world.server.requests.length).toBe(before);
  });

  it('holds names of tools that any provider takes, and calls are told by the real ones', async () => {
    const name = `files.read/${'x'.repeat(90)}`;
    const fitted = async () => {
      const model = world.model({ provider: 'anthropic' });
      await model.invoke(asked('hello', { tools: [{ ...weather, name }] }), aCall());
      return JSON.stringify(sent().tools);
    };
    const told = /"name":"([\w-]{1,64})"/.exec(await fitted())?.[1] ?? '';
    expect(told).toMatch(/^files_read_x+_[0-9a-f]{8}$/);
    const model = world.model({ provider: 'anthropic' });
    const { calls } = await streamed(model, asked(`[[call: ${told} {}]]`, { tools: [{ ...weather, name }] }));
    expect(calls).toMatchObject([{ name, arguments: {} }]);
  });

  it('has no tools for a model that is told of them in words', async () => {
    const model = world.model({ provider: 'openai-compatible', tools: false });
    await model.invoke(asked('hello', { tools: [weather] }), aCall());
    expect(sent().tools).toBeUndefined();
  });
});

describe('a conversation', () => {
  const model = world.model({ provider: 'anthropic' });

  it('may say something of the system anywhere: the model is told it first', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: '' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '[[quote: Be \\w+]]' },
    ];
    expect((await streamed(model, asked(messages))).text).toBe('Be brief');
  });

  it('that says nothing is refused', async () => {
    const work = model.invoke(asked([{ role: 'system', content: 'Be brief.' }]), aCall());
    await expect(work).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('may hold text files, and files that no model can see are named', async () => {
    const file = (name: string, mime_type: string) => ({
      type: 'file' as const,
      artifact: { artifact_id: name, name, mime_type, size_bytes: 12, sha256: null },
    });
    const content = [
      { type: 'text' as const, text: '[[quote: The code is \\d+]] [[quote: file b.bin]]' },
      file('a.txt', 'text/plain'),
      file('b.bin', 'application/octet-stream'),
    ];
    const bytes = async () => new TextEncoder().encode('The code is 4711.');
    const { text } = await streamed(model, asked([{ role: 'user', content }]), { ...aCall(), bytes });
    expect(text).toBe('The code is 4711 file b.bin');
  });

  it('that names an image by its address is refused: nothing is fetched for it', async () => {
    const content = [{ type: 'image' as const, url: 'http://169.254.169.254/latest/meta-data' }];
    const work = model.invoke(asked([{ role: 'user', content }]), aCall());
    await expect(work).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { hint: 'Attach the image as a file.' },
    });
  });

  it('with more bytes than a call may carry is refused before they are read', async () => {
    const artifact = {
      artifact_id: 'a',
      name: null,
      mime_type: 'image/png',
      size_bytes: 11 * 1024 * 1024,
      sha256: null,
    };
    const content = [1, 2].map(() => ({ type: 'image' as const, artifact }));
    let read = 0;
    const bytes = async () => {
      read += 1;
      return new Uint8Array(1);
    };
    const work = model.invoke(asked([{ role: 'user', content }]), { ...aCall(), bytes });
    await expect(work).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(read).toBe(1);
  });
});

describe('a file', () => {
  const model = world.model({ provider: 'openai-compatible' });

  it('that is larger than its run says is counted as it is', async () => {
    const artifact = { artifact_id: 'a', name: null, mime_type: 'image/png', size_bytes: 0, sha256: null };
    const content = Array.from({ length: 20 }, () => ({ type: 'image' as const, artifact }));
    let read = 0;
    const bytes = async () => {
      read += 1;
      return new Uint8Array(8 * 1024 * 1024);
    };
    const work = model.invoke(asked([{ role: 'user', content }]), { ...aCall(), bytes });
    await expect(work).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(read).toBe(3);
  });

  it('of a kind that is called like something inherited is named in words', async () => {
    const artifact = { artifact_id: 'a', name: null, mime_type: 'constructor', size_bytes: 0, sha256: null };
    const { message } = await model.invoke(asked([{ role: 'user', content: [{ type: 'file', artifact }] }]), aCall());
    expect(message.content).toContain('constructor, which cannot be shown');
  });
});

describe('what Anthropic thought before it called a tool', () => {
  const sources = () => ({ m: { config: world.model({ provider: 'anthropic' }).config, source: 'file' as const } });
  const shelf = new ModelShelf({ sources, environment: {}, counter });
  const said = {
    role: 'user' as const,
    content: '[[think: first the city]] [[call: weather {}]] [[then]] [[say: done]]',
  };

  it('is told to it again with the result, in the same run and in no other', async () => {
    const run = (run_id: string) => ({ ...aCall(), run_id });
    const model = shelf.find('m')!;
    const { answer } = await streamed(model, asked([said], { tools: [weather] }), run('r1'));
    const result = { role: 'tool' as const, tool_call_id: answer.message.tool_calls?.[0]?.id ?? '', content: 'rain' };
    const next = asked([said, answer.message, result], { tools: [weather] });
    const told = async (run_id: string) => {
      expect((await shelf.find('m')?.invoke(next, run(run_id)))?.message.content).toBe('done');
      return JSON.stringify(world.server.requests.at(-1)?.body.messages);
    };
    expect(await told('r1')).toContain('{"type":"thinking","thinking":"first the city","signature":"signed"}');
    expect(await told('r2')).not.toContain('"signature"');
  });
});
