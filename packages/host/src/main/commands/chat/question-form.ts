import { InteractionField } from '@rostra/protocol/api/interactions';
import type { InteractionItem } from '@rostra/protocol/run-api/interaction';
import type { Json } from '@rostra/protocol/wire/json';
import { z } from 'zod';

const Asked = z.object({
  body: z.string().default(''),
  fields: z.array(InteractionField).default([]),
  reason: z.string().optional(),
  summary: z.string().optional(),
  target_agent_id: z.string().optional(),
});

/** What a question says beside its title, and what it wants to know. */
export function formOf({ request }: InteractionItem): { words: string[]; fields: InteractionField[] } {
  const parsed = Asked.safeParse(request);
  if (!parsed.success) return { words: [], fields: [] };
  const { body, fields, reason, summary } = parsed.data;
  return { words: [body, reason ?? '', summary ?? ''].filter((line) => line.trim() !== ''), fields };
}

/** The action that a line names: by its number, its id, its label, or a plain yes or no. */
export function actionOf({ actions }: Pick<InteractionItem, 'actions'>, line: string): string | null {
  const said = line.trim().toLowerCase();
  if (/^\d+$/.test(said)) return actions[Number(said) - 1]?.id ?? null;
  const named = actions.find(({ id, label }) => id.toLowerCase() === said || label.toLowerCase() === said);
  if (named !== undefined) return named.id;
  if (/^y(es)?$/.test(said)) return actions[0]?.id ?? null;
  return /^no?$/.test(said) ? (actions.at(-1)?.id ?? null) : null;
}

/** The value that a line stands for; undefined for none. Whether it fits is the host's to say. */
export function answeredBy(field: InteractionField, line: string): Json | undefined {
  const said = line.trim();
  if (said === '') return field.default;
  switch (field.type) {
    case 'integer':
    case 'float':
      return Number.isNaN(Number(said)) ? said : Number(said);
    case 'boolean':
      if (/^(y|yes|true)$/i.test(said)) return true;
      return /^(n|no|false)$/i.test(said) ? false : said;
    case 'select':
      return optionOf(field, said);
    case 'multi-select':
      return said.split(',').map((each) => optionOf(field, each.trim()));
    default:
      return said;
  }
}

function optionOf({ options }: InteractionField, said: string): string {
  const byNumber = /^\d+$/.test(said) ? options[Number(said) - 1] : undefined;
  const found = options.find(({ value, label }) => value === said || label.toLowerCase() === said.toLowerCase());
  return (found ?? byNumber)?.value ?? said;
}

export function fieldPrompt(field: InteractionField): string {
  const options = field.options.map(({ label }, n) => `${n + 1}) ${label}`).join('  ');
  const preset = field.default === undefined ? '' : ` [${String(field.default)}]`;
  const yesNo = field.type === 'boolean' ? ' (yes/no)' : '';
  return `${field.label}${yesNo}${options === '' ? '' : `  ${options}`}${preset}${field.required ? '' : ' (optional)'}: `;
}
