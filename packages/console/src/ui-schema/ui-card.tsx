import { readUi } from '@rostra/protocol/run-api/ui-reader';
import { useMemo } from 'react';
import { UiNodeView } from './ui-node.tsx';

/** What an agent drew, as the host compiled it; what this page does not know of it is shown as words. */
export function UiCard({ ui }: { ui: unknown }) {
  const card = useMemo(() => readUi(ui), [ui]);
  if (card === null) return null;
  return (
    <div className="max-w-xl" data-testid="ui-card">
      <UiNodeView node={card.root} />
    </div>
  );
}
