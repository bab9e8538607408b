import { Collapsible } from '@base-ui/react/collapsible';
import type { Json } from '@rostra/protocol/wire/json';
import { ChevronRight, LoaderCircle, Wrench } from 'lucide-react';
import type { ToolItem } from './chat-state.ts';

function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function stateOf({ isOpen, error }: ToolItem): string {
  if (isOpen) return 'running';
  return error === null ? 'done' : 'failed';
}

/** A call of a tool: one line, the rest on demand. */
export function ToolCard({ item }: { item: ToolItem }) {
  const result = item.error ?? shown(item.result);
  return (
    <Collapsible.Root className="rounded-lg border border-line bg-raised text-sm" data-testid="tool">
      <Collapsible.Trigger className="group flex w-full cursor-pointer items-center gap-2 px-3 py-2 text-left">
        {item.isOpen ? (
          <LoaderCircle aria-label="working" className="size-4 motion-safe:animate-spin text-dim" />
        ) : (
          <Wrench aria-hidden className="size-4 text-dim" />
        )}
        <span className="font-mono text-[13px] break-all">{item.name}</span>
        <span className={item.error === null ? 'text-dim' : 'text-bad'}>{stateOf(item)}</span>
        <ChevronRight aria-hidden className="ml-auto size-4 text-dim group-data-[panel-open]:rotate-90" />
      </Collapsible.Trigger>
      <Collapsible.Panel className="grid gap-2 border-t border-line px-3 py-2">
        <Block title="Parameters" text={shown(item.parameters)} />
        <Block title={item.error === null ? 'Result' : 'Error'} text={result} />
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

function Block({ title, text }: { title: string; text: string }) {
  if (text === '') return null;
  return (
    <div>
      <div className="text-[12px] text-dim">{title}</div>
      <pre className="max-h-72 overflow-auto font-mono text-[12.5px] break-words whitespace-pre-wrap">{text}</pre>
    </div>
  );
}
