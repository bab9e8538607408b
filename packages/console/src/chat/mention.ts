/** An agent's name that is being typed after an `@`: from where on, and what of it. */
export interface Mention {
  readonly from: number;
  readonly typed: string;
}

/** The mention in which the cursor stands, or null. */
export function mentionAt(text: string, cursor: number): Mention | null {
  const before = text.slice(0, cursor);
  const found = /(?:^|\s)@([^\s@]*)$/u.exec(before);
  if (found === null) return null;
  const typed = found[1] ?? '';
  return { from: cursor - typed.length - 1, typed };
}

/** The agent whom a message names at its beginning, and the rest of the message. */
export function addressee(text: string, agents: readonly string[]): { agentId: string | null; text: string } {
  const [, name, rest] = /^@(\S+)\s*([\s\S]*)$/u.exec(text.trim()) ?? [];
  if (name === undefined || !agents.includes(name)) return { agentId: null, text: text.trim() };
  // Whoever only names an agent says its name.
  return { agentId: name, text: rest === undefined || rest === '' ? text.trim() : rest.trim() };
}

export function suggestions(mention: Mention | null, agents: readonly string[]): string[] {
  if (mention === null) return [];
  const typed = mention.typed.toLowerCase();
  return agents.filter((id) => id.toLowerCase().startsWith(typed) && id !== mention.typed);
}
