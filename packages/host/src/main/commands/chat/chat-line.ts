/** What a person typed. Words with a slash that are not ours are the agent's to understand. */
export type ChatLine =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'command'; readonly name: ChatCommand; readonly words: string }
  | { readonly kind: 'message'; readonly agent: string | null; readonly text: string };

const commands = ['agents', 'invite', 'remove', 'new', 'resume', 'commands', 'quit'] as const;
export type ChatCommand = (typeof commands)[number];

export const CHAT_HELP = `@NAME TEXT      says it to that agent, who stays the active one
/agents         who is here, and who could be
/invite NAME    asks an agent in
/remove NAME    asks an agent out
/new            begins another session
/resume [ID]    goes on with another session, the latest unless told
/commands       this list
/quit           leaves; so does Ctrl-D
Ctrl-C stops the answer, and is a no to a question; a second one leaves.
Everything else, also other words with a slash, goes to the agent.
`;

export function readLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  const [, word, words = ''] = /^\/(\w+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const name = commands.find((command) => command === word);
  if (name !== undefined) return { kind: 'command', name, words: words.trim() };
  const [, agent = null, said = text] = /^@(\S+)\s+(.+)$/s.exec(text) ?? [];
  return { kind: 'message', agent, text: said };
}
