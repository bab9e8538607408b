import type { UiNode } from '@rostra/protocol/run-api/ui-schema';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { fieldClass } from '../chat/field.tsx';
import { Button } from '../look/button.tsx';
import { useAttempt } from '../use-attempt.ts';
import { named } from './named-nodes.ts';
import { perform, useUiActions, type Values } from './ui-actions.ts';

interface UiFormProps {
  node: Extract<UiNode, { type: 'form' }>;
  /** How nodes are shown that are no fields. */
  render(node: UiNode): ReactNode;
}

/** What was typed, by the names of the fields. */
function valuesOf(form: HTMLFormElement): Values {
  const values: Values = {};
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && element.type === 'checkbox') values[element.name] = element.checked;
    else if (
      element instanceof HTMLInputElement ||
      element instanceof HTMLTextAreaElement ||
      element instanceof HTMLSelectElement
    ) {
      if (element.name !== '') values[element.name] = element.value;
    }
  }
  return values;
}

/** Whether a button of its own sends it: then it needs no other. */
function submits(nodes: readonly UiNode[], formId: string): boolean {
  return nodes.some((node) => {
    if (node.type === 'button') return node.action.type === 'submit' && node.action.formId === formId;
    return 'children' in node && submits(node.children, formId);
  });
}

/** The only node that collects what people type. */
export function UiFormNode({ node, render }: UiFormProps) {
  const actions = useUiActions();
  const { isBusy, fault, attempt } = useAttempt();
  const [isSent, setSent] = useState(false);
  const isDisabled = node.disabled === true || isBusy || isSent;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void attempt(perform(actions, node.action, valuesOf(event.currentTarget)).then(() => setSent(true)));
  };
  return (
    <form data-form={node.id} onSubmit={submit}>
      <fieldset disabled={isDisabled} className="grid gap-3">
        {named(node.children).map(([key, child]) => (
          <FormChild key={key} node={child} render={render} />
        ))}
        {!submits(node.children, node.id) && (
          <div>
            <Button type="submit" tone="primary" disabled={isDisabled}>
              {isSent ? 'Sent' : (node.submitLabel ?? 'Send')}
            </Button>
          </div>
        )}
        {fault !== null && <p className="text-sm text-bad">{fault}</p>}
      </fieldset>
    </form>
  );
}

function FormChild({ node, render }: { node: UiNode; render: UiFormProps['render'] }) {
  const id = useId();
  if (node.type === 'checkbox') {
    return (
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" name={node.name} defaultChecked={node.value === true} disabled={node.disabled} />
        {node.label}
      </label>
    );
  }
  if (node.type !== 'input' && node.type !== 'select' && node.type !== 'datetime') return render(node);
  return (
    <div className="grid gap-1 text-[13px] font-medium">
      <label htmlFor={id}>
        {node.label}
        {node.required === true && <span className="text-bad"> *</span>}
      </label>
      <Control node={node} id={id} />
    </div>
  );
}

const pickers = { date: 'date', time: 'time', datetime: 'datetime-local' } as const;

function Control({ node, id }: { node: Extract<UiNode, { type: 'input' | 'select' | 'datetime' }>; id: string }) {
  const own = { id, name: node.name, required: node.required, disabled: node.disabled, defaultValue: node.value };
  if (node.type === 'select') {
    return (
      <select {...own} className={fieldClass}>
        {node.options.map(({ label, value }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (node.type === 'datetime') return <input {...own} type={pickers[node.mode ?? 'date']} className={fieldClass} />;
  if (node.multiline === true) return <textarea {...own} rows={3} className={fieldClass} />;
  return <input {...own} placeholder={node.placeholder} className={fieldClass} />;
}
