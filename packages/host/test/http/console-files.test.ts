import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConsoleFiles } from '../../src/http/console-files.ts';

const script = 'console.log("a");\n'.repeat(100);
const plain = { accepts: '', known: undefined };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rostra-console-'));
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(path.join(folder, 'assets/main-abc.js'), script);
  writeFileSync(path.join(folder, 'assets/main-abc.js.map'), '{}');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the files of the console', () => {
  it('are pages, scripts, styles and pictures, and nothing else that lies in the folder', () => {
    const files = new ConsoleFiles(folder);
    expect([...files.names].sort()).toEqual(['assets/main-abc.js', 'index.html']);
    for (const name of ['assets/main-abc.js.map', '../index.html', 'assets', '']) {
      expect(files.answer(name, plain), name).toBeNull();
    }
  });

  it('run nothing that is not of this host, and are shown in no frame', () => {
    const policy = new ConsoleFiles(folder).answer('index.html', plain)?.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it('are kept by browsers as long as their name stays, the page only as long as it is the same', async () => {
    const files = new ConsoleFiles(folder);
    const page = files.answer('index.html', plain);
    expect(page?.headers.get('cache-control')).toBe('no-cache');
    expect(files.answer('assets/main-abc.js', plain)?.headers.get('cache-control')).toContain('immutable');
    const known = page?.headers.get('etag') ?? '';
    expect(files.answer('index.html', { accepts: '', known })?.status).toBe(304);
    expect(files.answer('index.html', { accepts: '', known: '"other"' })?.status).toBe(200);
  });

  it('travel compressed to those who take that', async () => {
    const answer = new ConsoleFiles(folder).answer('assets/main-abc.js', { accepts: 'br, gzip', known: undefined });
    expect(answer?.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await (answer?.arrayBuffer() ?? new ArrayBuffer(0)))).toString()).toBe(script);
  });

  it('stay those of the start when the folder changes under a host', async () => {
    const files = new ConsoleFiles(folder);
    rmSync(folder, { recursive: true });
    expect(await files.answer('assets/main-abc.js', plain)?.text()).toBe(script);
    expect([...new ConsoleFiles(folder).names]).toEqual([]);
  });
});
