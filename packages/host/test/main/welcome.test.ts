import { WELCOME_SESSION_ID as id } from '@rostra/protocol/run-api/welcome-session';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentCatalog } from '../../src/discovery/agent-catalog.ts';
import { localeIn } from '../../src/main/environment-locale.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { demoRunner, localAgent } from '../../src/main/official-runners.ts';
import { type WelcomeParts, welcome } from '../../src/main/welcome.ts';
import { ConversationWorld } from '../http/conversation-world.ts';
import { agent } from '../orchestrator/world.ts';

const owner = { workspace_id: 'local', user_id: 'owner' };
const opened: ConversationWorld[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((world) => world.stop()));
});

async function unused(change: Partial<WelcomeParts> = {}) {
  const world = await ConversationWorld.start();
  opened.push(world);
  const lines: string[] = [];
  const catalog = new AgentCatalog([
    agent('guide', demoRunner.runner_id, { source: 'demo' }),
    agent('scout', demoRunner.runner_id, { source: 'demo' }),
    agent('assistant', localAgent.runner_id),
  ]);
  const parts: WelcomeParts = {
    sessions: world.host.store.sessions,
    gateway: world.gateway,
    agents: { catalog, default_agents: ['assistant', 'guide', 'scout'] },
    owner,
    environment: { LANG: 'zh_CN.UTF-8' },
    log: new HostLog((line) => lines.push(line)),
    ...change,
  };
  const card = async () => (await world.host.store.sessions.cards([id]))[0];
  return { world, parts, card, lines };
}

describe('a host that was never used', () => {
  it('greets by its guide, whoever is active elsewhere, and with nobody’s words', async () => {
    const { world, parts, card } = await unused();
    await welcome(parts);
    expect(await card()).toMatchObject({ title: 'Welcome', owner_id: 'owner', turns: 1, first_message: null });
    const input = () => world.toAgents.find(({ event }) => event === 'USER_INPUT');
    await expect.poll(input).toMatchObject({
      target_id: 'guide',
      payload: {
        input: { text: null },
        event: { event_type: 'session.welcome', data: { forwarded_props: { locale: 'zh-CN' } } },
      },
    });
    const { context } = world.runtime.driver(id) ?? {};
    expect(Object.keys(context?.agents_in_session ?? {})).toEqual(['guide', 'scout', 'assistant']);
    expect(context?.active_agent_id).toBe('guide');
  });

  it('greets once, also when asked twice at a time', async () => {
    const { parts, card } = await unused();
    await Promise.all([welcome(parts), welcome(parts)]);
    await welcome(parts);
    expect((await card())?.turns).toBe(1);
  });

  it('whose start was cut short before the session had its title, gives it one at the next', async () => {
    const { parts, card } = await unused();
    const { sessions } = parts;
    const cut = {
      ...parts,
      sessions: {
        cards: sessions.cards.bind(sessions),
        list: sessions.list.bind(sessions),
        tombstone: sessions.tombstone.bind(sessions),
        rename: () => Promise.reject(new Error('the store is closed')),
      },
    };
    await welcome(cut);
    expect(await card()).toMatchObject({ title: null, turns: 1 });
    await welcome(parts);
    expect(await card()).toMatchObject({ title: 'Welcome', turns: 1 });
  });
});

describe('nobody is greeted', () => {
  it('where there is a session, or was Welcome', async () => {
    const { world, parts, card } = await unused();
    await world.open();
    await welcome(parts);
    expect(await card()).toBeUndefined();
    const other = await unused();
    await welcome(other.parts);
    await other.parts.sessions.rename(id, 'Mine');
    await welcome(other.parts);
    expect((await other.card())?.title).toBe('Mine');
    await other.world.host.store.sessions.remove(id, { at: 1, why: 'user:owner' });
    await welcome(other.parts);
    expect(await other.card()).toBeUndefined();
    expect(other.lines).toEqual([]);
  });

  it('where guide is an agent that a person made, or there is none', async () => {
    for (const runner of ['acme/other', demoRunner.runner_id, null]) {
      const catalog = new AgentCatalog(runner === null ? [] : [agent('guide', runner)]);
      const { parts, card } = await unused({ agents: { catalog, default_agents: ['guide'] } });
      await welcome(parts);
      expect(await card()).toBeUndefined();
    }
  });
});

it.each([
  [{ LC_ALL: 'zh_CN.UTF-8', LANG: 'en_US.UTF-8' }, 'zh-CN'],
  [{ LC_ALL: '', LANG: 'de_DE@euro' }, 'de-DE'],
  [{ LANG: 'C.UTF-8' }, null],
  [{ LANG: 'POSIX; rm' }, null],
  [{}, null],
])('the environment %j names the language %s', (environment, locale) => {
  expect(localeIn(environment)).toBe(locale);
});
