import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loginUrl, openBrowser, program } from './chromium.ts';
import { HostProcess } from './host-process.ts';

/** What must not be lost: what was on the screen, what was being written, and the way on when something is gone. */
describe.skipIf(program === undefined)('the console keeps', () => {
  const host = new HostProcess();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    await host.start();
    ({ browser, context } = await openBrowser());
    await logIn();
    await page.close();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await host.dispose();
  });

  afterEach(async () => {
    await page.close();
  });

  async function open(at: string): Promise<void> {
    page = await context.newPage();
    await page.goto(new URL(at, host.url).href);
  }

  async function logIn(): Promise<void> {
    await open(await loginUrl(host));
    await page.getByRole('link', { name: 'New conversation' }).waitFor();
  }

  /** A page that nothing was said on yet. */
  async function begin(): Promise<void> {
    await open('/');
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
  }

  const box = () => page.getByLabel('Message', { exact: true });
  const stop = () => page.getByTestId('stop');
  const said = () => page.getByTestId('agent-message');
  const sent = (text: string) => page.getByTestId('user-message').filter({ hasText: text });

  async function say(text: string): Promise<void> {
    await box().fill(text);
    await page.keyboard.press('Enter');
    await sent(text).waitFor();
  }

  async function ended(): Promise<void> {
    await stop().waitFor();
    await stop().waitFor({ state: 'detached' });
  }

  test('everything that was on the screen over a reload, in its order', async () => {
    await begin();
    await say('/fail');
    await page.getByText('The demo failed because it was asked to.').waitFor();
    await say('/tool');
    await said().first().waitFor();
    await say('/hang');
    await stop().click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await say('/artifact 64');
    await page.getByText('demo-64-kib.txt', { exact: true }).waitFor();
    await say('/ask');
    await page.getByRole('button', { name: 'Go on' }).click();
    await said().filter({ hasText: 'on we go' }).waitFor();
    await say('/ui');
    await page.getByTestId('ui-card').waitFor();
    await say('/handover scout look further');
    await page.getByRole('button', { name: 'Hand over to scout' }).click();
    await page.getByText('scout takes over from guide').waitFor();
    await stop().waitFor({ state: 'detached' });
    await say('/slow 20 50');
    await say('this waits');
    await ended();
    await stop().waitFor({ state: 'detached' });
    await expect.poll(() => said().last().innerText()).not.toContain('chunk');
    const log = page.getByRole('log');
    // Markdown is drawn a moment after its words.
    const shown = async () => [
      (await log.innerText()).replaceAll(/\s+/g, ' '),
      await log.getByRole('button', { disabled: true }).allInnerTexts(),
    ];
    const before = await shown();
    await page.reload();
    await expect.poll(shown, { timeout: 10_000 }).toEqual(before);
  }, 60_000);

  test('a tool of the page from being called again when the past is told', async () => {
    await begin();
    await say('/client-tool set_theme {"theme":"dark"}');
    await said().waitFor();
    await page.evaluate(`localStorage.setItem('rostra.look', 'light')`);
    await page.reload();
    await said().waitFor();
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
    expect(await page.locator('html').getAttribute('data-look')).toBe('light');
  });

  test('what was written over a reload, and while another conversation is open', async () => {
    await begin();
    await box().fill('not sent yet');
    await page.reload();
    await expect.poll(() => box().inputValue()).toBe('not sent yet');
    await page.getByRole('link', { name: /Welcome/ }).click();
    await expect.poll(() => box().inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => box().inputValue()).toBe('not sent yet');
    await page.keyboard.press('Control+a');
    await box().fill('');
  });

  test('what is written on after the first message, and the place to write it', async () => {
    await begin();
    await box().fill('hello there');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and more');
    await said().waitFor();
    await expect.poll(() => page.url()).toContain('/chat/');
    await page.keyboard.type(' of it');
    expect(await box().inputValue()).toBe('and more of it');
    await page.reload();
    await expect.poll(() => box().inputValue()).toBe('and more of it');
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    expect(await box().inputValue()).toBe('');
  });

  test('nobody in a conversation that was deleted in another window', async () => {
    await begin();
    await say('hello there');
    await said().waitFor();
    const { pathname } = new URL(page.url());
    await host.request('DELETE', pathname.replace('/chat/', '/api/v1/sessions/'));
    await page.getByText('This conversation no longer exists').waitFor();
    await page.locator(`a[href="${pathname}"]`).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Start a new conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    await page.goto(`${host.url}/chat/not-a-uuid`);
    await page.getByText('This conversation no longer exists').waitFor();
  });

  test('what was written when the login has ended, and says how to get in', async () => {
    await begin();
    await say('hello there');
    await said().waitFor();
    const at = page.url();
    await context.clearCookies();
    await box().fill('my long text');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    await page.getByText('npx rostra open').waitFor();
    const tab = page;
    await logIn();
    await page.close();
    page = tab;
    await page.goto(at);
    await expect.poll(() => box().inputValue()).toBe('my long text');
  });

  test('no refusal on the screen whose cause is gone', async () => {
    await begin();
    await say('hello there');
    await said().waitFor();
    const fault = page.getByRole('alert');
    await box().fill('x'.repeat(10_001));
    await page.keyboard.press('Enter');
    await fault.filter({ hasText: 'This message has 10,001 characters, and one may have 10,000.' }).waitFor();
    await box().fill('short');
    await fault.waitFor({ state: 'detached' });
    const { port } = new URL(host.url);
    await host.signal('SIGKILL');
    await page.keyboard.press('Enter');
    await fault.filter({ hasText: 'the host cannot be reached' }).waitFor();
    await host.start({ ROSTRA_PORT: port });
    await fault.waitFor({ state: 'detached', timeout: 20_000 });
    expect(await box().inputValue()).toBe('short');
  }, 60_000);
});
