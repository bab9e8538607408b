import type { ChatItem, ChatState } from './chat-state.ts';

export function addItem(chat: ChatState, item: ChatItem): ChatState {
  const place = chat.items.findIndex(({ id, kind }) => id === item.id && kind === item.kind);
  if (place < 0) return { ...chat, items: [...chat.items, item] };
  return { ...chat, items: chat.items.with(place, item) };
}

/** As the newest, also where it was known before: what waits is shown before it is told again. */
export function placeItem(chat: ChatState, item: ChatItem): ChatState {
  const items = chat.items.filter(({ id, kind }) => id !== item.id || kind !== item.kind);
  return { ...chat, items: [...items, item] };
}

export function changeItem<K extends ChatItem['kind']>(
  chat: ChatState,
  kind: K,
  id: string,
  change: (item: Extract<ChatItem, { kind: K }>) => ChatItem,
): ChatState {
  // What changes is nearly always at the end.
  const place = chat.items.findLastIndex((item) => item.kind === kind && item.id === id);
  const item = chat.items[place];
  if (item === undefined || !isKind(item, kind)) return chat;
  return { ...chat, items: chat.items.with(place, change(item)) };
}

function isKind<K extends ChatItem['kind']>(item: ChatItem, kind: K): item is Extract<ChatItem, { kind: K }> {
  return item.kind === kind;
}
