import { createHash } from 'node:crypto';
import type { HostStatus } from '../ports.ts';
import { RUNS_PATH } from './runs.ts';

export interface HomeContent {
  /** What a shell writes for the key: `$(cat …/owner.key)`. */
  key: string;
  commands: readonly (readonly [command: string, what: string])[];
}

const style = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--line:#e0e1e6;--page:#fcfcfd;--box:#f4f5f7;--go:#18794e;--no:#ad5700}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#a3a8b0;--line:#363a3f;--page:#111113;--box:#1b1d20;--go:#4cc38a;--no:#f1a10d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:clamp(1.25rem,5vw,3.5rem) clamp(1rem,4vw,2rem)}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .35rem;letter-spacing:-.02em}
h2{font-size:1.05rem;margin:2.25rem 0 .6rem}
p{margin:.35rem 0}
.dim{color:var(--dim)}
dl.state{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:1.5rem 0 0}
dl.state div{background:var(--box);border:1px solid var(--line);border-radius:.6rem;padding:.6rem .8rem}
dl.state dt{color:var(--dim);font-size:.8rem}
dl.state dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.ready{color:var(--go)}
.waiting{color:var(--no)}
code,pre{font:.86rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;margin:.4rem 0 1rem;white-space:pre-wrap;overflow-wrap:anywhere}
dl.commands{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.25rem;margin:.4rem 0}
dl.commands dd{margin:0;color:var(--dim)}
@media (max-width:34rem){dl.commands{grid-template-columns:1fr;gap:0}dl.commands dd{margin:0 0 .6rem}}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing is loaded, nothing runs; the one style sheet is known by its hash. */
export const HOME_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}

function uptime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [d, h, m] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (d > 0) return `${d} d ${h} h`;
  if (h > 0) return `${h} h ${m} min`;
  return m > 0 ? `${m} min ${seconds % 60} s` : `${seconds} s`;
}

function state(items: readonly (readonly [name: string, value: string, mark?: string])[]): string {
  const rows = items.map(([name, value, mark]) => {
    const open = mark === undefined ? '<dd>' : `<dd class="${mark}">`;
    return `<div><dt>${html(name)}</dt>${open}${html(value)}</dd></div>`;
  });
  return `<dl class="state">${rows.join('')}</dl>`;
}

function curls(address: string, key: string, threadId: string): [what: string, line: string][] {
  const auth = `-H "Authorization: Bearer ${key}"`;
  const body = { threadId, runId: 'run-1', messages: [{ id: 'msg-1', role: 'user', content: '/stream 5' }] };
  const post = `curl -s ${address}${RUNS_PATH} ${auth} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    ['Say something. The answer names the run: its taskId.', post],
    ['Follow the run. Put the taskId where it says TASK_ID.', `curl -N ${address}${RUNS_PATH}/TASK_ID/events ${auth}`],
    [
      'Stop it, and wait until it has stopped.',
      `curl -s -X POST '${address}${RUNS_PATH}/TASK_ID/cancel?wait=1' ${auth}`,
    ],
  ];
}

/** `/`: what this is, how it is, and how to talk to it. */
export function homePage(
  status: HostStatus,
  content: HomeContent,
  view: { now: number; address: string; threadId: string },
): string {
  const ready = status.missing.length === 0;
  const figures = state([
    ['State', ready ? 'ready' : 'not ready', ready ? 'ready' : 'waiting'],
    ['Runner', status.runner, status.runner === 'ready' ? 'ready' : 'waiting'],
    ['Agents', status.agents.join(', ') || 'none'],
    ['Sessions', String(status.sessions)],
    ['Running turns', String(status.live_turns)],
    ['Up for', uptime(view.now - status.started_at)],
    ['Version', status.version],
  ]);
  const missing = ready ? '' : `<p class="waiting">Waiting for: ${html(status.missing.join(', '))}.</p>`;
  const commands = content.commands.map(([name, what]) => `<dt><code>${html(name)}</code></dt><dd>${html(what)}</dd>`);
  const lines = curls(view.address, content.key, view.threadId).map(
    ([what, line]) => `<p>${html(what)}</p><pre>${html(line)}</pre>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rostra</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Rostra</h1>
<p class="dim">One host for every agent. It takes messages, decides which agent answers, runs that agent in a process of its own, streams what it says and keeps a log of it all.</p>
${figures}
${missing}
<h2>Talk to it</h2>
${lines.join('\n')}
<h2>What the demo understands</h2>
<dl class="commands">${commands.join('')}</dl>
<p class="dim">Anything else gets a short answer about Rostra, in English or Chinese.</p>
</main>
</body>
</html>
`;
}
