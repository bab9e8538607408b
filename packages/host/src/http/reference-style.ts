import { createHash } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest('base64');

export const style = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--line:#e0e1e6;--page:#fcfcfd;--box:#f4f5f7;--get:#18794e;--post:#0d74ce;--patch:#915930;--delete:#c62a2f}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#a3a8b0;--line:#363a3f;--page:#111113;--box:#1b1d20;--get:#4cc38a;--post:#70b8ff;--patch:#f1a10d;--delete:#ff9592}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:0 clamp(1rem,4vw,2rem) 4rem}
header{padding:clamp(1.25rem,5vw,3rem) 0 .5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .35rem;letter-spacing:-.02em}
h2{font-size:1.15rem;margin:2.25rem 0 .6rem}
h3{font-size:.95rem;margin:1.1rem 0 .3rem}
p{margin:.35rem 0}
a{color:inherit}
.dim{color:var(--dim)}
.search{position:sticky;top:0;background:var(--page);padding:.6rem 0;z-index:1}
.search input{width:100%;min-height:2.75rem;padding:.4rem .8rem;font:inherit;color:inherit;background:var(--box);border:1px solid var(--line);border-radius:.6rem}
:focus-visible{outline:2px solid var(--post);outline-offset:2px}
details{border:1px solid var(--line);border-radius:.6rem;margin:.5rem 0;background:var(--page)}
summary{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;cursor:pointer;padding:.6rem .8rem;min-height:2.75rem}
details>div{padding:0 .9rem .9rem;border-top:1px solid var(--line)}
.method{font:600 .8rem ui-monospace,Menlo,Consolas,monospace;min-width:3.4rem}
.GET{color:var(--get)}.POST{color:var(--post)}.PATCH{color:var(--patch)}.DELETE{color:var(--delete)}
code{font:.86rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
summary .what{color:var(--dim);flex-basis:100%}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.3rem 1.1rem;margin:.3rem 0}
dt,dd{margin:0;min-width:0}
dd p{margin:0}
@media (max-width:38rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}}
[hidden]{display:none}
`;

/** Shows what has all the words that were typed, and opens what a link leads to. */
export const script = `
const field=document.querySelector('input');
const items=[...document.querySelectorAll('details')];
const texts=items.map((item)=>item.textContent.toLowerCase());
const none=document.querySelector('.none');
field.addEventListener('input',()=>{
const words=field.value.toLowerCase().split(/\\s+/).filter(Boolean);
let shown=0;
items.forEach((item,index)=>{item.hidden=!words.every((word)=>texts[index].includes(word));if(!item.hidden)shown+=1});
for(const part of document.querySelectorAll('section'))part.hidden=![...part.querySelectorAll('details')].some((item)=>!item.hidden);
none.hidden=shown>0;
});
const open=()=>{const item=document.getElementById(decodeURIComponent(location.hash.slice(1)));if(item instanceof HTMLDetailsElement){item.hidden=false;item.open=true;item.scrollIntoView()}};
addEventListener('hashchange',open);
open();
`;

/** Nothing is loaded from anywhere; the style and the script are known by their hashes. */
export const REFERENCE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${digest(style)}'; script-src 'sha256-${digest(script)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
