import { scanJson } from '@rostra/protocol/wire/json-scan';
import { limits } from '@rostra/protocol/wire/limits';

const caps = { depth: limits.tool_message_depth, nodes: limits.tool_message_nodes };

/** Every escape, a pair of surrogates as one: what matches from its third branch on stands alone. */
const escapes = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/g;

/**
 * A message of a server as text that can be parsed, or null for one that would break whoever walks it. Half a surrogate
 * pair, which some programs write when they cut a text, is replaced.
 */
export function readableMessage(text: string): string | null {
  const fault = scanJson(Buffer.from(text), caps);
  if (fault === null) return text;
  if (fault !== 'lone_surrogate') return null;
  const mended = text.replace(escapes, (sign) => (isLone(sign) ? '\\ufffd' : sign));
  return scanJson(Buffer.from(mended), caps) === null ? mended : null;
}

function isLone(sign: string): boolean {
  return sign.length === 6 && sign[1] === 'u' && (sign[2] === 'd' || sign[2] === 'D');
}
