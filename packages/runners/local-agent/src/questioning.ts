import { isJsonObject, type Json, type JsonObject, type Question } from '@rostra/runner-sdk';
import { type BuiltIn, textIn } from './built-in.ts';
import { cut } from './cut.ts';
import type { TurnRun } from './turn-run.ts';

const OPTIONS_MAX = 10;
const LABEL_CHARS = 300;

/** Puts a question into the inbox and waits: for what must be decided before the answer can go on. */
export function questioning({ settings }: TurnRun): BuiltIn | null {
  return settings.ask_person ? asking : null;
}

const asking: BuiltIn = {
  tool: {
    name: 'ask_person',
    description: 'Puts one question to the person and waits for the answer. Only for what you cannot go on without.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string' },
        options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from, if there are.' },
      },
      required: ['question'],
    },
  },
  async call(parameters, { tools }) {
    const question = questionOf(textIn(parameters, 'question'), optionsIn(parameters));
    const { status, action, values } = await tools.ask(question);
    return { text: answerIn(parameters, status === 'submitted' ? action : null, values) };
  },
  answered(answer) {
    if (!isJsonObject(answer)) return asking;
    const { action_id, values } = answer;
    return { ...asking, call: async (parameters) => ({ text: answerIn(parameters, action_id ?? null, values ?? {}) }) };
  },
};

function optionsIn({ options }: JsonObject): string[] {
  const given = Array.isArray(options) ? options : [];
  return given.filter((each) => typeof each === 'string').slice(0, OPTIONS_MAX);
}

/** Without an action nobody has answered, and who cancels the question does not either. */
function answerIn(parameters: JsonObject, action: Json, values: Json): string {
  const unanswered = 'Nobody answered the question.';
  if (action === null) return unanswered;
  const chosen = optionsIn(parameters).find((_, index) => action === `option-${index + 1}`);
  return chosen ?? ((isJsonObject(values) && textIn(values, 'answer')) || unanswered);
}

function questionOf(question: string, options: readonly string[]): Question {
  const title = cut(question, LABEL_CHARS);
  if (options.length > 0) {
    const actions = options.map((label, index) => ({ id: `option-${index + 1}`, label: cut(label, LABEL_CHARS) }));
    return { kind: 'choice', title, actions, fallback_text: `${title}\n${options.join('\n')}` };
  }
  const fields = [{ id: 'answer', label: 'Answer', type: 'text' as const, required: true }];
  return { kind: 'form', title, fields, fallback_text: title };
}
