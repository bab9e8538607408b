import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loginUrl, openBrowser, program } from './chromium.ts';
import { HostProcess } from './host-process.ts';

const runners = {
  echo: new URL('./fixtures/echo-runner.mjs', import.meta.url),
  asking: new URL('./fixtures/asking-runner.mjs', import.meta.url),
};

const demo = { runner: 'rostra/demo/default' };
const many = Object.fromEntries(Array.from({ length: 36 }, (_, n) => [`agent-${n}`, demo]));

/** People click twice, leave before they are answered, name one agent of many, and fill in forms. */
describe.skipIf(program === undefined)('in the hands of people, the console', () => {
  const host = new HostProcess(
    {},
    {
      runners: Object.entries(runners).map(([name, at]) => ({ name, command: [process.execPath, fileURLToPath(at)] })),
      agents: {
        guide: { ...demo, config: { name: 'guide' } },
        scout: { ...demo, config: { name: 'scout' } },
        'a-name-that-is-as-long-as-names-may-be-and-that-nobody-likes-much': demo,
        echo: { runner: 'test/echo/default' },
        asking: { runner: 'test/asking/default' },
        ...many,
      },
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

  async function open(): Promise<void> {
    page = await context.newPage();
    await page.goto(host.url);
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
  }

  const area = () => page.getByLabel('Message', { exact: true });
  const said = () => page.getByTestId('agent-message');
  const sent = () => page.getByTestId('user-message');
  const drawn = () => page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');

  async function say(text: string): Promise<void> {
    await area().fill(text);
    await page.keyboard.press('Enter');
  }

  test('says once what is clicked twice', async () => {
    await page
      .getByRole('main')
      .getByRole('button', { name: /What is Rostra/ })
      .dblclick();
    await said().filter({ hasText: 'one host for every agent' }).first().waitFor();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    expect(await sent().count()).toBe(1);
  });

  test('can be told again what was refused', async () => {
    const at = '**/api/v1/agent/runs';
    await page.route(at, (route) => route.fulfill({ status: 422, body: '{}' }), { times: 1 });
    const tile = page.getByRole('main').getByRole('button', { name: /What is Rostra/ });
    await tile.click();
    await page.getByRole('status').first().waitFor();
    await tile.click();
    await sent().waitFor();
  });

  test('leaves whoever goes elsewhere while the first message is on its way', async () => {
    await say('here I stay');
    await said().waitFor();
    const other = new URL(page.url()).pathname;
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    await page.route('**/api/v1/agent/runs', async (route) => {
      await page.locator(`a[href="${other}"]`).click();
      await sent().filter({ hasText: 'here I stay' }).waitFor();
      await route.continue();
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await say('on its way');
    await page.getByRole('link', { name: /on its way/ }).waitFor();
    await drawn();
    expect(new URL(page.url()).pathname).toBe(other);
    // Nobody looks at the new one, so nothing of it is followed.
    expect(asked.filter((url) => url.includes('/events')).length).toBe(1);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
  });

  test('shows the end of what another conversation is at', async () => {
    await say('/slow 20 50');
    await page.getByTitle('running').waitFor();
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByText('Hello, I am guide. What shall we do?').waitFor();
    await page.getByTitle('running').waitFor({ state: 'detached', timeout: 15_000 });
  });

  test('has every agent in sight that is offered, and the one that the arrows have reached', async () => {
    await area().pressSequentially('@');
    const chosen = page.getByRole('option', { selected: true });
    await chosen.waitFor();
    const seen = async () => ({ list: await page.getByRole('listbox').boundingBox(), one: await chosen.boundingBox() });
    for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(key);
      await drawn();
      const { list, one } = await seen();
      expect(list?.y).toBeGreaterThan(0);
      expect(one?.y).toBeGreaterThanOrEqual(list?.y ?? Number.POSITIVE_INFINITY);
      expect((one?.y ?? 0) + (one?.height ?? 0)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0));
    }
  });

  test('has every agent of the roster within the window', async () => {
    await say('hello');
    await said().waitFor();
    await page.getByTestId('roster').click();
    const last = page.getByRole('menuitem').last();
    await last.waitFor();
    const reached = async () => {
      await page.keyboard.press('End');
      return (await last.boundingBox())?.y;
    };
    await expect.poll(reached).toBeLessThan(800);
    expect(await page.evaluate('document.scrollingElement.scrollTop')).toBe(0);
  });

  test('has long names of the roster within a narrow window, too', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await say('hello');
    await said().waitFor();
    await page.getByTestId('roster').click();
    const remove = page.getByRole('menuitem', { name: /^Remove a-name/ });
    await expect.poll(async () => ((await remove.boundingBox())?.x ?? 360) + 20).toBeLessThan(360);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  test('names an agent where the cursor stands, and no longer when it stands elsewhere', async () => {
    await area().fill('hello world');
    for (const _ of 'world') await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('@sc');
    await page.getByRole('option', { name: 'scout' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('and ');
    expect(await area().inputValue()).toBe('hello @scout and world');
    await area().fill('hello ');
    for (const leave of ['Home', 'Shift+Tab']) {
      await page.keyboard.press('End');
      await page.keyboard.type(' @');
      await page.getByRole('option', { name: 'scout' }).waitFor();
      await page.keyboard.press(leave);
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      await area().focus();
    }
    await area().fill('');
  });

  test('forgets why a file was refused once the file is gone', async () => {
    const file = { name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Send').click();
    await page.getByRole('alert').filter({ hasText: 'its bytes are not' }).waitFor();
    await page.getByRole('button', { name: 'Remove no.png' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('takes images that are dropped anywhere or pasted, and stays where it is', async () => {
    const attached = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
    const files = (name: string, words: string) => `(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], '${name}', { type: 'image/png' }));
      if ('${words}' !== '') data.setData('text/plain', '${words}');
      return { dataTransfer: data, clipboardData: data, bubbles: true, cancelable: true };
    })()`;
    const drag = (type: string) =>
      page.evaluate(`document.body.dispatchEvent(new DragEvent('${type}', ${files('dropped.png', '')}))`);
    const paste = (name: string, words: string) =>
      page.evaluate(`document.activeElement.dispatchEvent(new ClipboardEvent('paste', ${files(name, words)}))`);

    await drag('dragover');
    await page.getByPlaceholder('Drop images here').waitFor();
    // The browser shows a file that nobody takes.
    expect(await drag('drop')).toBe(false);
    await attached('dropped.png').waitFor();
    expect(await page.getByPlaceholder('Drop images here').count()).toBe(0);

    await area().focus();
    await paste('pasted.png', '');
    await attached('pasted.png').waitFor();
    await paste('of-words.png', 'words of a document');
    await drawn();
    expect(await attached('of-words.png').count()).toBe(0);
    for (const name of ['dropped.png', 'pasted.png']) await attached(name).click();
    await page.getByRole('button', { name: /^Remove / }).waitFor({ state: 'detached' });
  });

  test('puts earlier messages before the others once, however often it is asked', async () => {
    const threadId = randomUUID();
    // More than is told from the log at once.
    for (let n = 0; n < 200; n += 1) await host.events(await host.accept(`words ${n}`, { threadId, agentId: 'echo' }));
    await page.goto(`${host.url}/chat/${threadId}`);
    await sent().filter({ hasText: 'words 199' }).waitFor();
    const answers: (() => void)[] = [];
    await page.route('**/transcript*', (route) => {
      answers.push(() => void route.continue());
      if (answers.length === 2) for (const answer of answers) answer();
    });
    const before = await sent().count();
    for (const _ of '12') await page.getByRole('button', { name: 'Earlier messages' }).dispatchEvent('click');
    await expect.poll(() => sent().count()).toBeGreaterThan(before);
    await drawn();
    const words = await sent().allInnerTexts();
    expect(words.length).toBe(new Set(words).size);
  }, 60_000);

  test('leaves its connection to other tabs while nobody looks at it, and misses nothing', async () => {
    await say('hello');
    await said().waitFor();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    const threadId = new URL(page.url()).pathname.replace('/chat/', '');
    const look = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'));
    await look(true);
    await ended;
    await host.events(await host.accept('meanwhile', { threadId, agentId: 'echo' }));
    await drawn();
    expect(await sent().count()).toBe(1);
    await look(false);
    await sent().filter({ hasText: 'meanwhile' }).waitFor();
    await say('and on');
    await said().nth(2).waitFor();
    expect(await sent().allInnerTexts()).toEqual(['hello', 'meanwhile', 'and on']);
  });

  test('shows the beginning of a title that is written from the right', async () => {
    await say(`مرحبا ${'بالعالم '.repeat(20)}`);
    const line = page.getByRole('link', { name: /مرحبا/ });
    await line.waitFor();
    await said().waitFor();
    for (const title of [line.locator('span > span').first(), page.getByRole('heading', { level: 1 })])
      expect(await title.evaluate((at) => Reflect.get(globalThis, 'getComputedStyle')(at).direction)).toBe('rtl');
  });

  test('gives whoever stops by a key the place to write', async () => {
    await say('/slow 200 50');
    await page.getByTestId('stop').press('Enter');
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.keyboard.type('on');
    expect(await area().inputValue()).toBe('on');
  });

  test('leads nowhere by a footnote', async () => {
    await say('@echo words[^1]\n\n[^1]: a note, and [a link](https://example.org/)');
    const words = said().locator('.prose-chat');
    await words.getByRole('link', { name: 'a link' }).waitFor();
    expect(await words.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))).toEqual([
      'https://example.org/',
    ]);
  });

  const card = () => page.getByTestId('question');

  test('sends a form by Enter, when nothing is missing, and says what was given in the words of the form', async () => {
    await say('@asking please');
    await card().getByLabel('How many').fill('3');
    await card().getByLabel('How heavy').fill('1');
    await card().getByLabel('How heavy').fill('');
    await card().getByLabel('Colour').selectOption('Red');
    await page.keyboard.press('Tab');
    const name = card().getByLabel('Your name');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await card().getByRole('button', { name: 'Send it' }).click();
    await expect
      .poll(() => name.evaluate((element) => Reflect.get(globalThis, 'document').activeElement === element))
      .toBe(true);
    expect(asked.filter((url) => url.endsWith('/answer'))).toEqual([]);
    await name.fill('Ann');
    await name.press('Enter');
    await card().getByText('Answered: Send it (Your name: Ann, How many: 3, Colour: Red, A gift: no)').waitFor();
  });

  test('forgets why an answer was refused once none is asked for', async () => {
    await say('@asking please');
    await card().getByLabel('Your name').fill('x');
    await card().getByRole('button', { name: 'Send it' }).click();
    await card().getByText('The field "name" is shorter than it may be. Correct the value.').waitFor();
    await page.getByTestId('stop').click();
    await card().getByText('The run that asked has ended.').waitFor();
    expect(await card().innerText()).not.toContain('shorter');
  });

  test('has a button that is as high as its words', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await say('@asking please');
    const button = card().getByRole('button', { name: /^In words/ });
    await button.waitFor();
    const heights = await button.evaluate((element) => [element.scrollHeight, element.clientHeight]);
    expect(heights[0]).toBe(heights[1]);
    await page.getByTestId('stop').click();
  });
});
