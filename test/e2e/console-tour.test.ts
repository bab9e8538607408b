import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loginUrl, openBrowser, program } from './chromium.ts';
import { HostProcess } from './host-process.ts';

/** The tour as a newcomer sees it in a browser: one page, from the first login on. */
describe.skipIf(program === undefined)('the tour in the console', () => {
  const host = new HostProcess();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    await host.start();
    ({ browser, context } = await openBrowser());
    page = await context.newPage();
    await page.goto(await loginUrl(host));
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await host.dispose();
  });

  const said = (agent: string) => page.locator(`[data-testid=agent-message][data-agent=${agent}]`);
  const choose = (label: string) => page.getByTestId('ui-card').last().getByRole('button', { name: label }).click();
  const numbers = async (of: Page) => {
    const text = await of.getByTestId('agent-message').last().innerText();
    return (/\n1( \d+)*/.exec(text)?.[0] ?? '').trim().split(' ').map(Number);
  };

  async function type(text: string): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }

  async function restart(): Promise<void> {
    const { port } = new URL(host.url);
    await host.signal('SIGKILL');
    await host.start({ ROSTRA_PORT: port });
  }

  test('the first login leads to Welcome, whose card has four buttons, also after a reload', async () => {
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.reload();
    const card = page.getByTestId('ui-card');
    await card.waitFor();
    await expect.poll(() => card.getByRole('button', { disabled: false }).count()).toBe(4);
    expect(await page.getByTestId('user-message').count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)('it is in nobody’s way (%s)', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const found = () =>
      page.evaluate(async () => {
        const { violations }: { violations: { id: string; nodes: { html: string }[] }[] } = await Reflect.get(
          globalThis,
          'axe',
        ).run();
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
    // Colours fade over: on the way they are neither the ones nor the others.
    await expect.poll(found, { timeout: 5000 }).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1100, height: 800 });
  });

  test('a new conversation is one, though Welcome is the only other', async () => {
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    await page.getByRole('link', { name: /Welcome/ }).click();
    await page.getByTestId('ui-card').waitFor();
  });

  test('Two agents: a button, a confirmation, and scout quotes what was said', async () => {
    await choose('Two agents');
    await page.getByTestId('user-message').filter({ hasText: 'Two agents' }).waitFor();
    await page.getByTestId('tool').waitFor();
    await page.getByRole('button', { name: 'Hand over to scout' }).click();
    await said('scout').filter({ hasText: 'You said: “Two agents”' }).waitFor();
  });

  test('Ask me first: the question is there after a reload and a restart, and is answered once', async () => {
    await said('scout').getByTestId('ui-card').waitFor();
    await choose('Ask me first');
    await page.getByTestId('question').waitFor();
    await page.reload();
    await page.getByTestId('question').waitFor();
    await restart();
    await page.getByRole('button', { name: 'Yes, write it' }).click({ timeout: 20_000 });
    await page.getByText('tour-note.txt', { exact: true }).waitFor({ timeout: 20_000 });
    await said('scout').filter({ hasText: 'the file is there' }).waitFor();
  }, 60_000);

  test('Break it: typed as a number, it goes on in a second tab, over a reload and a restart, and stops', async () => {
    await type('3');
    await expect.poll(() => numbers(page)).toContain(3);
    const second = await context.newPage();
    await second.goto(page.url());
    await page.reload();
    await restart();
    await expect.poll(() => numbers(page), { timeout: 20_000 }).toContain(25);
    await expect.poll(() => numbers(second)).toContain(25);
    for (const each of [page, second]) {
      const seen = await numbers(each);
      expect(seen).toEqual(seen.map((_, index) => index + 1));
    }
    await second.close();
    await page.getByTestId('stop').click();
    await page.getByText('Stopped', { exact: true }).waitFor();
  }, 60_000);

  test('Use a real model: the two lines', async () => {
    await type('4');
    await page.locator('pre').filter({ hasText: 'export ANTHROPIC_API_KEY=…' }).waitFor();
    await page.getByText('GEMINI_API_KEY').waitFor();
  });
});
