import { runHttpRequest, transformHttpEventStream, verifyEvents } from '@ag-ui/client';
import {
  EventSchemas as EventSchemas0,
  runHttpRequest as runHttpRequest0,
  transformHttpEventStream as transformHttpEventStream0,
  verifyEvents as verifyEvents0,
} from '@ag-ui/client-0';
import { EventSchemas } from '@ag-ui/core/schemas';
import { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { expect } from 'vitest';

/** Throws for a stream that clients of AG-UI 1.0 or of the 0.0 line would die of. */
export async function verifyStream(events: readonly AguiEvent[]): Promise<void> {
  for (const event of events) {
    const text = JSON.stringify(event);
    expect(AguiEvent.safeParse(event).success, text).toBe(true);
    expect(EventSchemas.safeParse(event).success, text).toBe(true);
    expect(EventSchemas0.safeParse(event).success, text).toBe(true);
    expect(Object.values(event)).not.toContain(null);
    expect(Object.values(event)).not.toContain(undefined);
    expect(Number.isInteger(event.timestamp)).toBe(true);
  }
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const answer = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  await new Promise<void>((complete, error) => {
    transformHttpEventStream(runHttpRequest(answer)).pipe(verifyEvents(false)).subscribe({ complete, error });
  });
  await new Promise<void>((complete, error) => {
    transformHttpEventStream0(runHttpRequest0(answer)).pipe(verifyEvents0(false)).subscribe({ complete, error });
  });
  expect(isRunOpen(events)).toBe(false);
}

/** The verifiers do not mind a stream that stops in the middle. */
function isRunOpen(events: readonly AguiEvent[]): boolean {
  const edges = events.filter(({ type }) => ['RUN_STARTED', 'RUN_FINISHED', 'RUN_ERROR'].includes(type));
  return edges.at(-1)?.type === 'RUN_STARTED';
}
