import { createHash } from 'node:crypto';

const style = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--line:#e0e1e6;--page:#fcfcfd;--box:#f4f5f7;--go:#18794e;--no:#ad5700}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#a3a8b0;--line:#363a3f;--page:#111113;--box:#1b1d20;--go:#4cc38a;--no:#f1a10d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:clamp(1.25rem,5vw,3.5rem) clamp(1rem,4vw,2rem)}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .35rem;letter-spacing:-.02em}
h2{font-size:1.05rem;margin:2.25rem 0 .6rem}
p{margin:.35rem 0}
a{color:inherit}
.dim{color:var(--dim)}
code,pre{font:.86rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--box);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;margin:.4rem 0 1rem;white-space:pre-wrap;overflow-wrap:anywhere}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing is loaded, nothing runs; the one style sheet is known by its hash. */
export const PAGE_HEADERS = {
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

/** Text as it stands in a page. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}

/** A page of this host that needs no script; `body` is HTML. */
export function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
