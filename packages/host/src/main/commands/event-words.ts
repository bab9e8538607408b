import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { short, shown } from './printing.ts';

const WIDTH = 100;

/** One line on an event. */
export function eventWords(event: AguiEvent): string {
  const { type, timestamp: _, metadata: __, ...rest } = event;
  const details = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return shown(short([type, ...details].join(' '), WIDTH));
}
