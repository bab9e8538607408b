export type Root = { readonly name: string } | 'more' | null;

/** What opens something in which nothing else counts, and what closes it. */
const closes: Readonly<Record<string, string>> = { '<!--': '-->', '<?': '?>', '"': '"', "'": "'" };
const DOCTYPE = '<!doctype';

/** Behind what begins at `at` with `open`; -1 when it does not end here. */
function behind(text: string, open: string, at: number): number {
  const close = closes[open] ?? open;
  const end = text.indexOf(close, at + open.length);
  return end < 0 ? -1 : end + close.length;
}

/** Behind the declaration of a document's type, with all that it may declare between its brackets. */
function behindDoctype(text: string): number {
  const mark = /<!--|<\?|["'[\]>]/g;
  mark.lastIndex = DOCTYPE.length;
  let isWithin = false;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [open] = found;
    if (open in closes) {
      const end = behind(text, open, found.index);
      if (end < 0) return -1;
      mark.lastIndex = end;
    } else if (open === '>' && !isWithin) return mark.lastIndex;
    else if (open !== '>') isWithin = open === '[';
  }
  return -1;
}

/** Behind a comment, an instruction or a declaration that a text begins with; 0 when it begins with none of them. */
function behindProlog(text: string): number {
  for (const open of ['<!--', '<?']) if (text.startsWith(open)) return behind(text, open, 0);
  if (text.slice(0, DOCTYPE.length).toLowerCase() === DOCTYPE) return behindDoctype(text);
  const isBegun = ['<!--', '<?', DOCTYPE].some((open) => open.startsWith(text.toLowerCase()));
  return isBegun ? -1 : 0;
}

/**
 * The name of the first element of a text, without its prefix and in small letters: what a reader of XML or of pages
 * would take the text for. `more` when it stands behind these bytes, if anywhere; null when the text begins otherwise.
 */
export function rootElement(head: Buffer): Root {
  let text = head.toString('utf8').trimStart();
  // As many comments and instructions as somebody cares to put before it.
  for (let end = behindProlog(text); end !== 0; end = behindProlog(text)) {
    if (end < 0) return 'more';
    text = text.slice(end).trimStart();
  }
  if (!/^<[^\s/>!?]/.test(text)) return text === '<' ? 'more' : null;
  const name = /^<([^\s/>]+)[\s/>]/.exec(text)?.[1];
  return name === undefined ? 'more' : { name: name.slice(name.lastIndexOf(':') + 1).toLowerCase() };
}
