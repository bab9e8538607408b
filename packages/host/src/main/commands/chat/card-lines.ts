import { readUi } from '@rostra/protocol/run-api/ui-reader';
import type { UiNode } from '@rostra/protocol/run-api/ui-schema';

/** What a person can choose on a card: the text is what they say by it. */
export interface CardChoice {
  readonly label: string;
  readonly text: string;
}

/** A card where nothing can be drawn: its words line by line, and what can be said by its buttons as numbers. */
export interface CardLines {
  readonly lines: readonly string[];
  readonly choices: readonly CardChoice[];
}

export function cardLines(ui: unknown): CardLines {
  const card = readUi(ui);
  const choices: CardChoice[] = [];
  return { lines: card === null ? [] : linesOf(card.root, choices), choices };
}

function linesOf(node: UiNode, choices: CardChoice[]): string[] {
  switch (node.type) {
    case 'stack': {
      const lines = node.children.flatMap((child) => linesOf(child, choices));
      const isRow = node.direction === 'horizontal' && node.children.every(({ type }) => type === 'button');
      return isRow && lines.length > 0 ? [lines.join('  ')] : lines;
    }
    case 'list':
    case 'collapse':
      return [
        ...(node.type === 'collapse' ? [node.title] : []),
        ...node.children.flatMap((child) => linesOf(child, choices)),
      ];
    case 'text':
      return node.content.split('\n').map((line) => (node.role === 'caption' ? `   ${line}` : line));
    case 'kv':
      return node.items.map(({ label, value }) => `${label}: ${value}`);
    case 'table':
      return node.rows.map((row) => node.columns.map(({ key }) => String(row[key] ?? '')).join(' | '));
    case 'button':
      return buttonLines(node, choices);
    default:
      return leafLines(node);
  }
}

/** Of all that buttons do, a terminal can say things, and show where a link leads. */
function buttonLines(
  { label, action, disabled }: Extract<UiNode, { type: 'button' }>,
  choices: CardChoice[],
): string[] {
  if (action.type === 'open_url') return [`${label}: ${action.url}`];
  if (action.type !== 'send_message' || disabled === true) return [];
  choices.push({ label, text: action.text });
  return [`${choices.length}) ${label}`];
}

function leafLines(node: UiNode): string[] {
  switch (node.type) {
    case 'badge':
      return [`[${node.label}]`];
    case 'link':
      return [`${node.label}: ${node.url}`];
    case 'image':
      return [`[${node.alt}]`];
    case 'code':
      return node.content.split('\n');
    case 'progress':
      return [
        [node.label, node.value === undefined ? '…' : `${Math.round(node.value * 100)} %`].filter(Boolean).join(' '),
      ];
    case 'fallback':
      return [node.text];
    default:
      return [];
  }
}
