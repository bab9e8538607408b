import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';

/** Names that are devices on some systems, whatever stands behind the dot. */
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
/** Characters that some file system or shell reads as something else. */
const special: ReadonlySet<string> = new Set(['<', '>', ':', '"', '|', '?', '*']);

/** Marks that change the direction of what follows: a name must not read otherwise than it is. */
function isDirectionMark(code: number): boolean {
  const isMark = code === 0x61c || code === 0x200e || code === 0x200f;
  return isMark || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

function isLeftOut(code: number): boolean {
  const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0x2028 || code === 0x2029;
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  return isControl || isHalf || code === 0xfeff || isDirectionMark(code);
}

/** At most so many bytes of a text, cut between characters. */
function cut(text: string, bytes: number): string {
  let kept = '';
  let size = 0;
  for (const character of text) {
    size += utf8Length(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}

/** Without the dots and spaces around it, which hide a file or are dropped by some systems. */
function bare(name: string): string {
  let [start, end] = [0, name.length];
  while (start < end && '. '.includes(name.charAt(start))) start += 1;
  while (end > start && '. '.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

/** A long name loses its middle and keeps its ending. */
function shortened(name: string): string {
  if (utf8Length(name) <= limits.artifact_name_bytes) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  return cut(name.slice(0, name.length - ending.length), limits.artifact_name_bytes - utf8Length(ending)) + ending;
}

/**
 * The name of an artifact as people are shown it: no folder, nothing that hides or breaks a line. It is only ever a
 * name: the bytes lie under an id of the host's own.
 */
export function artifactName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = [...last]
    .filter((character) => !isLeftOut(character.codePointAt(0) ?? 0))
    .map((character) => (special.has(character) ? '_' : character))
    .join('');
  const name = bare(plain);
  if (name === '') return 'artifact';
  return shortened(device.test(name) ? `_${name}` : name);
}
