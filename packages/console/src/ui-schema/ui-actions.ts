import type { UiAction } from '@rostra/protocol/run-api/ui-schema';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { createContext, use } from 'react';

/** What the buttons of a card can do here. */
export interface UiActions {
  sendMessage(text: string): Promise<void>;
  callTool(name: string, args: Record<string, Json>): Promise<void>;
  resume(interruptId: string, status: 'resolved' | 'cancelled', payload: Json): Promise<void>;
  /** A url for bytes that the host keeps; null when there is none. */
  attachmentUrl(id: string): Promise<string | null>;
}

export const UiActionsContext = createContext<UiActions | null>(null);

export function useUiActions(): UiActions {
  const actions = use(UiActionsContext);
  if (actions === null) throw new Error('a card outside of a chat');
  return actions;
}

export type Values = Record<string, Json>;

/** Does what a button or a form says. The values of a form are the payload, the arguments, or stand below the text. */
export async function perform(
  actions: UiActions,
  action: UiAction,
  values: Values = {},
  card?: Element,
): Promise<void> {
  switch (action.type) {
    case 'send_message': {
      const given = Object.entries(values).map(([name, value]) => `${name}: ${asText(value)}`);
      await actions.sendMessage([action.text, ...given].join('\n'));
      break;
    }
    case 'call_tool':
      await actions.callTool(action.name, { ...action.args, ...values });
      break;
    case 'resume':
      await actions.resume(action.interruptId, action.status, merged(action.payload, values));
      break;
    case 'open_url':
      window.open(action.url, '_blank', 'noopener,noreferrer');
      break;
    case 'submit': {
      // Another card may have a form of the same name.
      const forms = [...(card?.querySelectorAll<HTMLFormElement>('form[data-form]') ?? [])];
      forms.find((form) => form.dataset.form === action.formId)?.requestSubmit();
      break;
    }
    default:
      action satisfies never;
  }
}

function merged(payload: Json | undefined, values: Values): Json {
  if (Object.keys(values).length === 0) return payload ?? null;
  return isJsonObject(payload) ? { ...payload, ...values } : values;
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
