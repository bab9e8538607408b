import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { HostProcess } from './host-process.ts';

const folders = (process.env.PATH ?? '').split(path.delimiter);

/** The browser of this machine; without one there is nothing to see the console in. */
export const program = folders.map((folder) => path.join(folder, 'chromium')).find((file) => existsSync(file));

/** A browser with a window as wide as that of a laptop. */
export async function openBrowser(): Promise<{ browser: Browser; context: BrowserContext }> {
  // The sandbox of Chromium does not work for root, as whom containers run.
  const browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] });
  return { browser, context: await browser.newContext({ viewport: { width: 1100, height: 800 } }) };
}

/** Where a browser logs in as the owner, once. */
export async function loginUrl(host: HostProcess): Promise<string> {
  const { body } = await host.request('POST', '/api/v1/login-links');
  return `${host.url}${new URL(String(body.url)).pathname}`;
}
