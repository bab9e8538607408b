import { WebhookConfig } from '@rostra/protocol/config/entry-config';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { signatureOf, Webhooks } from '../../src/entries/webhooks.ts';
import { statusOf } from '../../src/http/errors.ts';
import { EntryWorld, owner } from './entry-world.ts';

const secret = 'a-secret-of-many-characters';
const hook = WebhookConfig.parse({ id: 'x', secret, agent: 'guide', event: 'issue.opened' });
const NOW = 1_800_000_000;

function door(world = new EntryWorld()) {
  const wall = { now: NOW * 1000 };
  const hooks = new Webhooks({
    gateway: world.gateway,
    owner,
    hooks: () => [hook],
    bindings: () => world.bindings,
    now: () => wall.now,
  });
  const deliver = (body: string | Buffer, signature: string | undefined, content_type = 'application/json', id = 'x') =>
    world.settled(hooks.deliver(id, { signature, content_type, body: Buffer.from(body) }));
  return { world, wall, deliver };
}

const sign = (body: string | Buffer, seconds = NOW, by = secret) => `t=${seconds},v1=${signatureOf(by, seconds, body)}`;

describe('a delivery', () => {
  const body = '{"issue":7}';

  test('that is signed is an event of its hook, by the system, with its body as data (case 75)', async () => {
    const { world, deliver } = door();
    const accepted = await deliver(body, sign(body));
    expect(world.inputs()[0]).toMatchObject({
      turn_id: accepted?.task_id,
      requested_by: 'system',
      payload: {
        input: { text: null },
        event: {
          event_type: 'issue.opened',
          event_time: NOW,
          source: 'webhook',
          trigger_source: 'platform',
          data: { issue: 7 },
          actor: { actor_type: 'system', actor_id: 'system' },
          subject: { subject_type: 'webhook', subject_id: 'x' },
          binding_id: 'webhook:x',
        },
      },
    });
  });

  test.each<[string, string | undefined]>([
    ['no signature', undefined],
    ['an empty one', ''],
    ['one of another secret', sign(body, NOW, 'another-secret-of-many')],
    ['one of a blank secret', sign(body, NOW, '')],
    ['one of another body', sign('{"issue":8}')],
    ['a time that was changed', sign(body).replace(`t=${NOW}`, `t=${NOW - 1}`)],
    ['one that is cut', sign(body).slice(0, -1)],
    ['one in capitals', sign(body).toUpperCase()],
    ['no time', `v1=${signatureOf(secret, NOW, body)}`],
    ['one that is too old', sign(body, NOW - limits.webhook_tolerance / 1000 - 1)],
    ['one of the future', sign(body, NOW + limits.webhook_tolerance / 1000 + 1)],
  ])('with %s is not taken', async (_name, signature) => {
    const { world, deliver } = door();
    expect(await deliver(body, signature)).toBeNull();
    expect(world.inputs()).toEqual([]);
  });

  test.each([-1, 1])('may be off by the tolerance (%i)', async (sign_of) => {
    const { deliver } = door();
    expect(await deliver(body, sign(body, NOW + (sign_of * limits.webhook_tolerance) / 1000))).not.toBeNull();
  });

  test('to a hook that is not there looks like one with a wrong signature', async () => {
    const { deliver } = door();
    expect(await deliver(body, sign(body), 'application/json', 'y')).toBeNull();
  });

  test('may be signed by two secrets while one replaces the other', async () => {
    const { deliver } = door();
    const other = signatureOf('the-old-secret-of-many', NOW, body);
    expect(await deliver(body, `t=${NOW},v1=${other},v1=${signatureOf(secret, NOW, body)}`)).not.toBeNull();
  });

  test('that is replayed is refused, also after a restart; the same body at another time is a new one', async () => {
    const { world, deliver } = door();
    await deliver(body, sign(body));
    await expect(deliver(body, sign(body))).rejects.toSatisfy((error) => statusOf(error) === 409);
    const later = door(new EntryWorld([], world.store));
    await expect(later.deliver(body, sign(body))).rejects.toThrow('taken already');
    const twice = `t=${NOW},v1=${'0'.repeat(64)},v1=${signatureOf(secret, NOW, body)}`;
    await expect(later.deliver(body, twice)).rejects.toThrow('taken already');
    expect(await deliver(body, sign(body, NOW + 1))).not.toBeNull();
  });
});

describe('the body of a delivery', () => {
  const told = async (body: string | Buffer, type?: string) => {
    const { world, deliver } = door();
    await deliver(body, sign(body), type);
    return { world, event: world.inputs()[0]?.payload.event };
  };

  test('that is JSON and no object stands in the data by a name', async () => {
    expect((await told('[1]')).event?.data).toEqual({ body: [1] });
    expect((await told('')).event?.data).toEqual({});
  });

  test('that is no JSON is kept byte by byte', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 7]);
    const { world, event } = await told(bytes, 'application/x-thing; v=1');
    expect(event?.raw_ref).toMatchObject({ mime_type: 'application/x-thing', size_bytes: 5 });
    const read = await world.store.artifacts.read(event?.raw_ref?.artifact_id ?? '', { offset: 0, length: 5 }, 0);
    expect(Buffer.from(read ?? []).equals(bytes)).toBe(true);
  });

  test('is kept as what it is, whatever its sender calls it (RP-7.22)', async () => {
    const kinds = [];
    for (const type of ['image/png', 'x'.repeat(4000), 'text/plain; charset=utf-8']) {
      const { event } = await told('<html><script>1</script>', type);
      kinds.push(event?.raw_ref?.mime_type);
    }
    expect(kinds).toEqual(['text/html', 'text/html', 'text/plain']);
  });

  test('that is large JSON is kept, too', async () => {
    const { event } = await told(JSON.stringify({ text: 'x'.repeat(limits.event_data_bytes) }));
    expect(event).toMatchObject({ data: {}, raw_ref: { mime_type: 'application/json' } });
  });

  test('with a key that some who copy it would obey is refused (case 15)', async () => {
    for (const body of ['{"__proto__":{"is_admin":true}}', '[{"a":{"__proto__":1}}]'])
      await expect(told(body)).rejects.toThrow('__proto__');
  });

  test('that is torn, or deeper than anybody reads, is refused', async () => {
    for (const body of ['{', `${'['.repeat(40)}${']'.repeat(40)}`])
      await expect(told(body)).rejects.toThrow('not JSON');
  });
});
