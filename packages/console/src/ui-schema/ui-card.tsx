import { UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import { useMemo } from 'react';
import { UiNodeView } from './ui-node.tsx';

/** What an agent drew, as the host compiled it. One that this page cannot read shows nothing: the text says it too. */
export function UiCard({ ui }: { ui: unknown }) {
  const parsed = useMemo(() => UiSchemaRenderer.safeParse(ui), [ui]);
  if (!parsed.success) return null;
  return (
    <div className="max-w-xl" data-testid="ui-card">
      <UiNodeView node={parsed.data.root} />
    </div>
  );
}
