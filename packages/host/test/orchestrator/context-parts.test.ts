import { ContextPart, OwnContext, wholeContext } from '@rostra/protocol/runner/context-part';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World } from './world.ts';

const Told = z.object({
  parts: z.array(z.object({ part: z.number(), context: ContextPart })),
  part: z.number().nullable(),
  context: z.unknown(),
});

const world = (version: string) => new World(fixture('keeps-parts', version), new ManualClock());

async function told(w: World, agent_id = 'guide') {
  const { payload } = await w.heard(w.input('hello', agent_id), 'message');
  return Told.parse(payload.content);
}

test('a runner of protocol 1.2 is told once what the runs of an agent have in common', async () => {
  const w = world('1.2');
  const [first, scout, again] = [await told(w), await told(w, 'scout'), await told(w)];
  expect([first, scout, again].map(({ part }) => part)).toEqual([0, 1, 0]);
  expect(again.parts.map(({ part, context }) => [part, context.config])).toEqual([
    [0, { persona: 'guide' }],
    [1, { persona: 'scout' }],
  ]);
  const [kept] = again.parts;
  if (kept === undefined) throw new Error('it was told a part');
  expect(again.context).not.toHaveProperty('config');
  const whole = wholeContext(kept.context, OwnContext.parse(again.context));
  const old = AgentRunContext.parse((await told(world('1.1'))).context);
  const { run_id, event, subject, runtime, context, conversation } = whole;
  const { deadline_at, static_refs } = old.runtime;
  // Of another turn, and otherwise the same.
  expect(whole).toEqual({
    ...old,
    run_id,
    event,
    subject,
    conversation,
    runtime: { ...runtime, deadline_at, static_refs },
    context: { ...old.context, conversation_id: context.conversation_id },
  });
});

test('a process that takes the place of another is told again', async () => {
  const w = world('1.2');
  await told(w);
  await w.heard(w.input('exit'), 'RUN_FAILED');
  const { parts, part } = await told(w);
  expect([parts.length, part]).toEqual([1, 0]);
});

test.each(['1.0', '1.1'])('a runner of protocol %s is told every context whole', async (version) => {
  const w = world(version);
  await told(w);
  const { parts, part, context } = await told(w);
  expect([parts, part]).toEqual([[], null]);
  expect(AgentRunContext.parse(context).config).toEqual({ persona: 'guide' });
});
