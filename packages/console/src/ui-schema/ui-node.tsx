import type { UiNode, UiStatus } from '@rostra/protocol/run-api/ui-schema';
import { cn } from '../look/class-names.ts';
import { Said } from '../look/said.tsx';
import { named } from './named-nodes.ts';
import { UiButton } from './ui-button.tsx';
import { UiFormNode } from './ui-form.tsx';
import { UiIcon } from './ui-icon.tsx';
import { UiImage } from './ui-image.tsx';
import { UiTable } from './ui-table.tsx';

export const statusTone: Readonly<Record<UiStatus, string>> = {
  info: 'bg-accent-soft text-accent',
  success: 'bg-good-soft text-good',
  warning: 'bg-warn-soft text-warn',
  error: 'bg-bad-soft text-bad',
  pending: 'bg-soft text-dim',
};

const textRoles = {
  title: 'text-[15px] font-semibold',
  subtitle: 'text-sm font-medium text-dim',
  body: 'text-sm',
  caption: 'text-[12.5px] text-dim',
  code: 'font-mono text-[12.5px]',
} as const;

const gaps = { none: 'gap-0', small: 'gap-1.5', medium: 'gap-3', large: 'gap-5' } as const;
const aligns = { start: 'items-start', center: 'items-center', end: 'items-end', stretch: 'items-stretch' } as const;
const appearances = {
  plain: '',
  card: 'rounded-xl border border-line bg-raised p-4 shadow-xs',
  section: 'border-t border-line pt-3',
  inset: 'rounded-lg bg-soft p-3',
} as const;

type Node<T extends UiNode['type']> = Extract<UiNode, { type: T }>;

export function UiNodes({ nodes }: { nodes: readonly UiNode[] }) {
  return named(nodes).map(([key, node]) => <UiNodeView key={key} node={node} />);
}

function Stack({ node }: { node: Node<'stack'> }) {
  const { direction = 'vertical', gap = 'medium', align, wrap, appearance, status } = node;
  const isRow = direction === 'horizontal';
  return (
    <div
      className={cn(
        'flex min-w-0',
        isRow ? 'flex-row' : 'flex-col',
        isRow && wrap !== false && 'flex-wrap',
        gaps[gap],
        aligns[align ?? (isRow ? 'center' : 'stretch')],
        appearances[appearance],
        status === 'error' && appearance === 'card' && 'border-bad',
        status === 'warning' && appearance === 'card' && 'border-warn',
      )}
    >
      <UiNodes nodes={node.children} />
    </div>
  );
}

function Text({ node: { content, role, format } }: { node: Node<'text'> }) {
  if (format === 'markdown') {
    return (
      <div className={textRoles[role]}>
        <Said text={content} />
      </div>
    );
  }
  return <div className={cn('break-words whitespace-pre-wrap', textRoles[role])}>{content}</div>;
}

function Facts({ node }: { node: Node<'kv'> }) {
  return (
    <dl className="grid grid-cols-[minmax(5rem,max-content)_1fr] gap-x-4 gap-y-1 text-sm">
      {node.items.map(({ label, value, status }) => (
        <div key={label} className="contents">
          <dt className="text-dim">{label}</dt>
          <dd className={cn('break-words', status !== undefined && statusTone[status], status && 'rounded px-1')}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Progress({ node: { value, label } }: { node: Node<'progress'> }) {
  return (
    <div className="grid gap-1 text-[13px] text-dim">
      {label}
      <progress className="h-2 w-full accent-accent" max={1} value={value} aria-label={label ?? 'progress'} />
    </div>
  );
}

function List({ node }: { node: Node<'list'> }) {
  const Tag = node.ordered === true ? 'ol' : 'ul';
  return (
    <Tag className={cn('grid gap-1 pl-5 text-sm', node.ordered === true ? 'list-decimal' : 'list-disc')}>
      {named(node.children).map(([key, child]) => (
        <li key={key}>
          <UiNodeView node={child} />
        </li>
      ))}
    </Tag>
  );
}

function Leaf({ node }: { node: UiNode }) {
  switch (node.type) {
    case 'badge':
      return (
        <span className={cn('w-fit rounded-full px-2 py-0.5 text-[12px] font-medium', statusTone[node.status])}>
          {node.label}
        </span>
      );
    case 'icon':
      return <UiIcon name={node.name} />;
    case 'link':
      return (
        <a className="w-fit text-sm text-accent underline" href={node.url} target="_blank" rel="noreferrer noopener">
          {node.label}
        </a>
      );
    case 'divider':
      return <hr className="border-line" />;
    case 'code':
      return (
        <pre className="max-h-80 overflow-auto rounded-lg bg-soft p-3 font-mono text-[12.5px]">{node.content}</pre>
      );
    case 'fallback':
      return <div className="text-sm text-dim">{node.text}</div>;
    default:
      return null;
  }
}

/** One node of a card; what is not known here is left to its fallback. */
export function UiNodeView({ node }: { node: UiNode }) {
  switch (node.type) {
    case 'stack':
      return <Stack node={node} />;
    case 'text':
      return <Text node={node} />;
    case 'kv':
      return <Facts node={node} />;
    case 'list':
      return <List node={node} />;
    case 'table':
      return <UiTable node={node} />;
    case 'image':
      return <UiImage node={node} />;
    case 'progress':
      return <Progress node={node} />;
    case 'collapse':
      return (
        <details open={node.open} className="text-sm">
          <summary className="cursor-pointer font-medium">{node.title}</summary>
          <div className="mt-2 flex flex-col gap-3">
            <UiNodes nodes={node.children} />
          </div>
        </details>
      );
    case 'button':
      return <UiButton node={node} />;
    case 'form':
      return <UiFormNode node={node} render={(child) => <UiNodeView node={child} />} />;
    default:
      return <Leaf node={node} />;
  }
}
