import { randomUUID } from 'node:crypto';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loginUrl, openBrowser, program } from './chromium.ts';
import { HostProcess } from './host-process.ts';

/** The console as a person uses it: the built page, served by the built host, in a real browser. */
describe.skipIf(program === undefined)('the console', () => {
  const host = new HostProcess();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    await host.start();
    ({ browser, context } = await openBrowser());
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await host.dispose();
  });

  afterEach(async () => {
    await page.close();
    expect(faults.splice(0)).toEqual([]);
  });

  async function open(at: string): Promise<void> {
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // A connection that a restart cuts is told by the browser itself.
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()))
        faults.push(message.text());
    });
    await page.goto(new URL(at, host.url).href);
  }

  async function logIn(): Promise<void> {
    await open(await loginUrl(host));
  }

  async function say(text: string): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }

  const said = () => page.getByTestId('agent-message');

  test('a page without a login says how to get in', async () => {
    const stranger = await browser.newContext();
    const before = context;
    context = stranger;
    await open('/');
    context = before;
    await page.getByText('npx rostra open').waitFor();
    await stranger.close();
  });

  test('a login link opens a page that greets, and a click gets an answer', async () => {
    await logIn();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    await page.getByRole('button', { name: /What is Rostra/ }).click();
    await said().filter({ hasText: 'one host for every agent' }).waitFor();
    await expect.poll(() => page.url()).toContain('/chat/');
  });

  test('guide hands over to scout after a click', async () => {
    await open('/');
    await say('/handover scout look further');
    await page.getByRole('button', { name: 'Hand over to scout' }).click();
    await page.locator('[data-testid=agent-message][data-agent=scout]').waitFor();
    await expect.poll(() => page.getByTestId('roster').innerText()).toContain('scout');
  });

  test('an answer goes on through a reload without a gap', async () => {
    await open('/');
    await say('/slow 30 100');
    await expect.poll(async () => (await said().innerText()).length).toBeGreaterThan(20);
    await page.reload();
    await page.getByTestId('stop').waitFor();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    const whole = await said().innerText();
    await page.reload();
    await expect.poll(() => said().innerText()).toBe(whole);
  });

  test('an agent asks before it acts, and the question waits through a restart of the host', async () => {
    await open('/');
    await say('/ask');
    await page.getByTestId('question').waitFor();
    const { port } = new URL(host.url);
    await host.signal('SIGKILL');
    await host.start({ ROSTRA_PORT: port });
    await page.getByRole('button', { name: 'Go on' }).click({ timeout: 20_000 });
    await said().filter({ hasText: 'on we go' }).waitFor({ timeout: 20_000 });
  }, 60_000);

  test('Stop stops', async () => {
    await open('/');
    await say('/slow 500 50');
    await expect.poll(async () => (await said().count()) > 0).toBe(true);
    await page.getByTestId('stop').click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
  });

  test('a mention is offered, and the agent that it names answers', async () => {
    await open('/');
    await page.getByLabel('Message', { exact: true }).pressSequentially('@sc');
    await page.getByRole('option', { name: 'scout' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('hello');
    await page.keyboard.press('Enter');
    await page.locator('[data-testid=agent-message][data-agent=scout]').waitFor();
  });

  test('a card has buttons that work, and a tool of the page answers an agent', async () => {
    await open('/');
    await say('/client-tool set_theme {"theme":"dark"}');
    await expect.poll(() => page.locator('html').getAttribute('data-look')).toBe('dark');
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    await say('/ui');
    await page.getByTestId('ui-card').first().waitFor();
    const before = await page.getByTestId('user-message').count();
    await page.getByTestId('ui-card').getByRole('button').first().click();
    await expect.poll(() => page.getByTestId('user-message').count()).toBe(before + 1);
  });

  test('a card that is the first answer of a conversation works, too', async () => {
    await open('/');
    await say('/ui');
    await page.getByTestId('ui-card').getByRole('button').first().click({ timeout: 5_000 });
    await expect.poll(() => page.getByTestId('user-message').count()).toBe(2);
  });

  test('a card sends its own form, though another one has a form of the same name', async () => {
    await open('/');
    await say('/ui');
    const cards = page.getByTestId('ui-card');
    await cards.first().getByRole('textbox').fill('the first');
    await say('/ui');
    await expect.poll(() => cards.count()).toBe(2);
    await cards.nth(1).getByRole('textbox').fill('the second');
    await cards.nth(1).getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByTestId('user-message').filter({ hasText: 'note: the second' }).waitFor();
  });

  test('a call of a tool that another client offered is left to that client', async () => {
    const tools = [{ name: 'get_weather', description: 'the weather', parameters: { type: 'object' } }];
    const threadId = randomUUID();
    const messages = [{ id: randomUUID(), role: 'user', content: '/client-tool get_weather {}' }];
    const { body } = await host.request('POST', '/api/v1/agent/runs', {
      body: { threadId, runId: randomUUID(), messages, tools },
    });
    const sent: string[] = [];
    const note = (asked: { url(): string }) => sent.push(asked.url());
    context.on('request', note);
    await open(`/chat/${threadId}`);
    await page.getByText('get_weather', { exact: true }).waitFor();
    // What a page does about what it shows, it does before the next picture.
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
    context.off('request', note);
    expect(sent.filter((url) => url.endsWith('/tool-results'))).toEqual([]);
    await host.request('POST', `/api/v1/agent/runs/${body.taskId}/cancel?wait=1`);
  });

  test('says that the host is gone, and no longer once it is back', async () => {
    await open('/');
    await say('hello there');
    await said().waitFor();
    const { port } = new URL(host.url);
    await host.signal('SIGKILL');
    await page.getByText('the host cannot be reached').waitFor();
    await host.start({ ROSTRA_PORT: port });
    await page.getByText('the host cannot be reached').waitFor({ state: 'detached', timeout: 20_000 });
  }, 60_000);

  test('a conversation that is opened while the host is away comes once it is back', async () => {
    await open('/');
    await say('one thing');
    await said().waitFor();
    const { pathname } = new URL(page.url());
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    const { port } = new URL(host.url);
    await host.signal('SIGKILL');
    await page.locator(`a[href="${pathname}"]`).click();
    await page.getByText('the host cannot be reached').waitFor();
    await host.start({ ROSTRA_PORT: port });
    await said().waitFor({ timeout: 20_000 });
  }, 60_000);

  test('a second window sees what is asked and answered in the first', async () => {
    await open('/');
    await say('hello there');
    await said().waitFor();
    const first = page;
    const { pathname } = new URL(first.url());
    await open(pathname);
    await said().waitFor();
    const second = page;
    page = first;
    await say('and again');
    await second.getByTestId('user-message').filter({ hasText: 'and again' }).waitFor();
    await second.close();
  });

  test.each(['light', 'dark'] as const)('nothing in the way of people who cannot see or point (%s)', async (look) => {
    await open('/');
    await page.emulateMedia({ colorScheme: look });
    await page.evaluate(`localStorage.setItem('rostra.look', '${look}')`);
    await say('/tool');
    await page.getByTestId('tool').waitFor();
    await page.reload();
    await page.getByTestId('tool').waitFor();
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const results: { violations: { id: string; nodes: { html: string }[] }[] } = await Reflect.get(
        globalThis,
        'axe',
      ).run();
      return results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    expect(found).toEqual([]);
  });

  test('a narrow screen has its list behind a button', async () => {
    await open('/');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('link', { name: 'New conversation' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
