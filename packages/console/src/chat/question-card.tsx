import type { InteractionField } from '@rostra/protocol/api/interactions';
import type { Json } from '@rostra/protocol/wire/json';
import { CircleHelp, ShieldQuestion } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { AgentMark } from '../look/agent-mark.tsx';
import { Button } from '../look/button.tsx';
import { useAttempt } from '../use-attempt.ts';
import type { QuestionItem } from './chat-state.ts';
import { Field } from './field.tsx';
import { OutcomeLine } from './outcome-line.tsx';
import { formOfQuestion } from './question-form.ts';

export type Answer = (id: string, actionId: string, values: Record<string, Json>) => Promise<void>;

const outcomes: Readonly<Record<string, string>> = {
  expired: 'Nobody answered in time.',
  run_ended: 'The run that asked has ended.',
  run_lost: 'The run that asked was lost.',
  withdrawn: 'The question was withdrawn.',
};

function startValues(fields: readonly InteractionField[]): Record<string, Json> {
  return Object.fromEntries(
    fields.flatMap(({ id, type, default: given }) => {
      if (given !== undefined) return [[id, given]];
      return type === 'boolean' ? [[id, false]] : [];
    }),
  );
}

/** A question of an agent: a form, a choice, leave for an action. */
export function QuestionCard({ item, answer }: { item: QuestionItem; answer: Answer }) {
  const { title, body, fields, actions } = formOfQuestion(item);
  const [values, setValues] = useState<Record<string, Json>>(() => startValues(fields));
  const { isBusy, fault, attempt, forgive } = useAttempt();
  const [isMine, setMine] = useState(false);
  const isOpen = item.outcome === null;

  // Why an answer was refused matters no more once none is asked for.
  useEffect(() => {
    if (!isOpen) forgive();
  }, [isOpen, forgive]);

  const send = (actionId: string) => {
    setMine(true);
    return attempt(answer(item.id, actionId, values));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = actions;
    if (first !== undefined) void send(first.id);
  };
  const Icon = item.purpose === 'approval' || item.purpose === 'budget' ? ShieldQuestion : CircleHelp;

  return (
    <form
      onSubmit={submit}
      aria-label={title}
      noValidate={actions[0]?.id === 'cancel'}
      className="rounded-xl border border-line bg-raised p-4 shadow-xs"
      data-testid="question"
    >
      <div className="flex items-start gap-2.5">
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
        <div className="min-w-0 flex-1">
          <div className="font-medium break-words">{title}</div>
          <div className="mt-0.5 flex items-center gap-1.5 text-[13px] text-dim">
            <AgentMark name={item.agentId} className="size-4 rounded text-[10px]" /> {item.agentId} asks
          </div>
          {body !== '' && <p className="mt-2 text-sm break-words whitespace-pre-wrap">{body}</p>}
          {isOpen && fields.length > 0 && (
            <div className="mt-3 grid gap-3">
              {fields.map((field) => (
                <Field
                  key={field.id}
                  field={field}
                  value={values[field.id]}
                  set={(value) => setValues((before) => ({ ...before, [field.id]: value }))}
                />
              ))}
            </div>
          )}
          {isOpen ? (
            <div className="mt-3 flex flex-wrap gap-2">
              {actions.map(({ id, label }, index) => (
                <Button
                  key={id}
                  disabled={isBusy}
                  // The first is what Enter does, and what the browser looks over the fields for.
                  {...(index === 0 ? ({ type: 'submit', tone: 'primary' } as const) : { onClick: () => void send(id) })}
                >
                  {label}
                </Button>
              ))}
            </div>
          ) : (
            <OutcomeLine isMine={isMine}>
              <Outcome item={item} labels={actions} fields={fields} />
            </OutcomeLine>
          )}
          {fault !== null && <p className="mt-2 text-sm text-bad">{fault}</p>}
        </div>
      </div>
    </form>
  );
}

interface OutcomeProps {
  item: QuestionItem;
  labels: readonly { id: string; label: string }[];
  fields: readonly InteractionField[];
}

function Outcome({ item, labels, fields }: OutcomeProps) {
  const { outcome, answer } = item;
  if (outcome !== 'answered') return outcomes[outcome ?? ''] ?? outcome;
  const label = labels.find(({ id }) => id === answer?.action_id)?.label ?? answer?.action_id ?? '';
  const given = fields.flatMap((field) => {
    const value = shown(field, answer?.values[field.id]);
    return value === '' ? [] : [`${field.label}: ${value}`];
  });
  return (
    <>
      Answered: <span className="font-medium text-ink">{label}</span>
      {given.length > 0 && ` (${given.join(', ')})`}
    </>
  );
}

/** In the words of the form; empty for what was left out. */
function shown({ options }: InteractionField, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const word = (each: Json) => options.find((option) => option.value === each)?.label ?? String(each);
  return Array.isArray(value) ? value.map(word).join(', ') : word(value);
}
