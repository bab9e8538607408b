import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loginUrl, openBrowser, program } from './chromium.ts';
import { HostProcess } from './host-process.ts';

const echo = fileURLToPath(new URL('./fixtures/echo-runner.mjs', import.meta.url));

function styleOf(at: Locator, name: string): Promise<string> {
  return at.evaluate(
    (element, key) => Reflect.get(globalThis, 'getComputedStyle')(element).getPropertyValue(key),
    name,
  );
}

function hasFocus(at: Locator): Promise<boolean> {
  return at.evaluate((element) => Reflect.get(globalThis, 'document').activeElement === element);
}

/** How the console shows what is said, and what it is like to read and to touch. */
describe.skipIf(program === undefined)('the look of the console', () => {
  const host = new HostProcess(
    {},
    {
      runners: [{ name: 'echo', command: [process.execPath, echo] }],
      agents: { echo: { runner: 'test/echo/default' } },
    },
  );
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    await host.start();
    ({ browser, context } = await openBrowser());
    page = await context.newPage();
    await page.goto(await loginUrl(host));
    await page.close();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await host.dispose();
  });

  beforeEach(open);

  afterEach(async () => {
    await page.close();
  });

  /** A new conversation, with `echo` unless somebody else is named. */
  async function open(): Promise<void> {
    page = await context.newPage();
    await page.goto(host.url);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am echo. What shall we do?').waitFor();
  }

  const area = () => page.getByLabel('Message', { exact: true });
  const said = () => page.getByTestId('agent-message');

  async function say(text: string): Promise<void> {
    await area().fill(text);
    await page.keyboard.press('Enter');
  }

  /** What an agent said, as it is shown; `…` at its end: while it is still at it. */
  async function shown(text: string) {
    await say(text);
    const words = said().locator('.prose-chat');
    await words.waitFor();
    if (text.endsWith('…')) await words.filter({ hasText: '…' }).waitFor();
    else await page.getByTestId('stop').waitFor({ state: 'detached' });
    return words;
  }

  describe.each(['', '\n\nmore…'])('words of an agent, %j after them', (rest) => {
    test('what stands in angle brackets is shown, and is no HTML', async () => {
      const words = await shown(
        `Call List<String> and press <Enter>; <b>bold</b> a < b\n\n<details>x</details>${rest}`,
      );
      await expect.poll(() => words.innerText()).toContain('List<String> and press <Enter>; <b>bold</b> a < b');
      expect(await words.innerText()).toContain('<details>x</details>');
      expect(await words.locator('b, details').count()).toBe(0);
    });

    test('code stands as it was written', async () => {
      const words = await shown(`\`Array<T>\`\n\n\`\`\`html\n<p title="&amp;">\n  <b>x</b>\n\`\`\`${rest}`);
      await expect.poll(() => words.locator('pre').innerText()).toBe('<p title="&amp;">\n  <b>x</b>');
      expect(await words.locator('code').first().innerText()).toBe('Array<T>');
    });

    test('nothing in it runs, loads, or leads where scripts are', async () => {
      const addresses = [
        'javascript:window.hurt=1',
        'data:text/html,hi',
        'JaVaScRiPt:alert(1)',
        'vbscript:x',
        'file:///x',
      ];
      const links = addresses.map((address) => `[words](${address}) ![picture](${address}) <${address}>`).join('\n\n');
      const html = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script><svg onload="window.hurt=1">';
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const words = await shown(`${html}\n\n${links}\n\n![far](http://far.invalid/x.png)${rest}`);
      await words.getByText('far', { exact: true }).waitFor();
      expect(await words.locator('img, script, svg, iframe').count()).toBe(0);
      expect(await words.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))).toEqual([
        'http://far.invalid/x.png',
      ]);
      expect(await words.innerText()).not.toContain('blocked');
      expect(await page.evaluate('window.hurt')).toBeUndefined();
      expect(asked.filter((url) => url.includes('far.invalid'))).toEqual([]);
    });

    test('every block has the direction of its words', async () => {
      const words = await shown(`مرحبا بالعالم\n\n- عنصر\n\nplain${rest}`);
      await expect.poll(() => styleOf(words.locator('p').first(), 'direction')).toBe('rtl');
      expect(await styleOf(words.locator('ul'), 'direction')).toBe('rtl');
      expect(await styleOf(words.locator('p').filter({ hasText: 'plain' }), 'direction')).toBe('ltr');
    });
  });

  test('headings differ in size, and lines are faint', async () => {
    const words = await shown('# one\n\n## two\n\ntext\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |');
    const styled = (selector: string, name: string) => styleOf(words.locator(selector).first(), name);
    await words.locator('table').waitFor();
    const sizes = await Promise.all(['h1', 'h2', 'p'].map((tag) => styled(tag, 'font-size')));
    expect(sizes.map(Number.parseFloat)).toEqual([21, 18.3, 15]);
    const line = await styled('td', 'border-top-color');
    expect(await styled('hr', 'border-top-color')).toBe(line);
    expect(await styled('[data-streamdown=table-wrapper]', 'border-top-width')).toBe('0px');
  });

  /** The part of the page that scrolls, once it has: how far from its beginning and from its end it is. */
  const place = () =>
    page.getByRole('log').evaluate((log) => {
      const box = log.parentElement ?? log;
      return { top: Math.round(box.scrollTop), left: Math.round(box.scrollHeight - box.scrollTop - box.clientHeight) };
    });

  async function wheel(pixels: number): Promise<void> {
    const { top } = await place();
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, pixels);
    await expect.poll(async () => (await place()).top).not.toBe(top);
  }

  const long = Array.from({ length: 90 }, (_, n) => `paragraph **${n}**`).join('\n\n');

  test('every turn of the wheel leads upwards, and what is sent is in sight', async () => {
    await shown(long);
    await page.reload();
    await said().locator('strong, [data-streamdown=strong]').last().waitFor();
    await expect.poll(async () => (await place()).left).toBe(0);
    const { top } = await place();
    for (const n of [1, 2, 3]) {
      await wheel(-150);
      await expect.poll(async () => (await place()).top).toBe(top - 150 * n);
    }
    await say('a word more');
    await said().filter({ hasText: 'a word more' }).waitFor();
    await expect.poll(async () => (await place()).left).toBe(0);
    await wheel(-40);
    expect((await place()).left).toBe(40);
  });

  test.each([0, 30])('what was said before is put before, and what is being read stays (%i)', async (from) => {
    const threadId = randomUUID();
    // More than is told from the log at once: `RETOLD` records, of which a turn makes a dozen.
    const turns = 200;
    for (let n = 0; n < turns; n += 1)
      await host.events(await host.accept(`words ${n}`, { threadId, agentId: 'echo' }));
    await page.goto(`${host.url}/chat/${threadId}`);
    await said()
      .filter({ hasText: `words ${turns - 1}` })
      .waitFor();
    await wheel(-20_000);
    await expect.poll(async () => (await place()).top).toBe(0);
    if (from > 0) await wheel(from);
    const oldest = page.getByTestId('user-message').first();
    const words = await oldest.innerText();
    const where = await oldest.boundingBox();
    // A click would first bring the button wholly into sight.
    await page.getByRole('button', { name: 'Earlier messages' }).dispatchEvent('click');
    await expect.poll(() => oldest.innerText()).not.toBe(words);
    const now = await page.getByTestId('user-message').filter({ hasText: words }).first().boundingBox();
    // The button stands no longer above it.
    expect(Math.abs((now?.y ?? 0) - (where?.y ?? 0))).toBeLessThanOrEqual(1);
  });

  test.each(['/ask', '/handover scout further'])('whoever answers %s goes on from there', async (words) => {
    await page.getByLabel('Message', { exact: true }).pressSequentially('@gu');
    await page.getByRole('option', { name: 'guide' }).waitFor();
    await say(`@guide ${words}`);
    const card = page.getByTestId('question').or(page.getByTestId('handover'));
    await card.getByRole('button').first().press('Enter');
    const outcome = card.getByText(/^Answered|^Handed over/);
    await outcome.waitFor();
    await expect.poll(() => hasFocus(outcome)).toBe(true);
    const log = page.getByRole('log');
    if (words === '/ask') {
      await log.getByText('on we go').waitFor();
      const text = await log.innerText();
      expect(text.indexOf('Answered')).toBeLessThan(text.indexOf('on we go'));
      expect(text.indexOf('I have a question')).toBeLessThan(text.indexOf('Answered'));
    }
  });

  test('the key that ends a composition sends nothing', async () => {
    await area().fill('にほん');
    await area().dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
    await area().pressSequentially('go');
    await page.keyboard.press('Enter');
    const sent = page.getByTestId('user-message');
    await sent.first().waitFor();
    expect(await sent.first().innerText()).toBe('にほんgo');
  });

  test('the header is as high before the first message as after it', async () => {
    const height = () => page.locator('header').evaluate((header) => header.clientHeight);
    const before = await height();
    await shown('hello');
    expect(await height()).toBe(before);
  });

  test('a file that an agent made is saved by a click', async () => {
    await page.getByLabel('Message', { exact: true }).pressSequentially('@gu');
    await page.getByRole('option', { name: 'guide' }).waitFor();
    await say('@guide /artifact 64');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('file').getByRole('link').click(),
    ]);
    expect(await download.failure()).toBeNull();
    expect(statSync(await download.path()).size).toBe(64 * 1024);
  });

  test('a picture that was sent is shown at once', async () => {
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const files = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') };
    await page.locator('input[type=file]').setInputFiles(files);
    await say('look at this');
    const picture = page.getByTestId('user-message').getByRole('img', { name: 'dot.png' });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(1);
  });

  test('a deletion that fails says so, and can be tried again', async () => {
    await shown('to be deleted');
    await page.route('**/api/v1/sessions/*', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503, body: '{}' }) : route.fallback(),
    );
    await page
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unroute('**/api/v1/sessions/*');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('the drawer of a narrow screen keeps the focus, and Escape gives it back', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    const menu = page.getByRole('button', { name: 'Conversations' });
    await menu.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Conversations' });
    await drawer.waitFor();
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press('Tab');
      // From its end the focus is led to its beginning with the next frame: no hand is faster than that.
      await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
      expect(await page.evaluate('document.activeElement.closest("main") === null')).toBe(true);
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus(menu)).toBe(true);
  });

  test('what a finger can press is seen', async () => {
    await shown('hello');
    const { pathname } = new URL(page.url());
    const touch = await browser.newContext({
      storageState: await context.storageState(),
      viewport: { width: 375, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    const narrow = await touch.newPage();
    await narrow.goto(`${host.url}${pathname}`);
    await narrow.getByRole('button', { name: 'Conversations' }).tap();
    const remove = narrow.getByRole('button', { name: /^Delete/ }).first();
    expect(await styleOf(remove, 'opacity')).toBe('1');
    await touch.close();
  });

  test('the list of agents is tied to the text in which one is named', async () => {
    expect(await area().getAttribute('aria-controls')).toBeNull();
    await area().pressSequentially('@');
    await page.getByRole('option').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    const chosen = page.getByRole('option', { selected: true });
    await expect.poll(() => area().getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
    const list = await area().getAttribute('aria-controls');
    expect(await page.getByRole('listbox', { name: 'Agents' }).getAttribute('id')).toBe(list);
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
});
