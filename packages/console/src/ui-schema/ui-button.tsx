import type { UiNode } from '@rostra/protocol/run-api/ui-schema';
import { type MouseEvent, useState } from 'react';
import { Button } from '../look/button.tsx';
import { perform, useUiActions } from './ui-actions.ts';

const tones = { primary: 'primary', secondary: 'plain', danger: 'danger', plain: 'quiet' } as const;

export function UiButton({ node }: { node: Extract<UiNode, { type: 'button' }> }) {
  const actions = useUiActions();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const press = ({ currentTarget }: MouseEvent) => {
    setBusy(true);
    setFault(null);
    perform(actions, node.action, {}, currentTarget.closest('[data-testid=ui-card]') ?? undefined)
      .catch((error: unknown) => setFault(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return (
    <span className="inline-flex flex-col gap-1">
      <Button tone={tones[node.variant ?? 'secondary']} disabled={node.disabled === true || isBusy} onClick={press}>
        {node.label}
      </Button>
      {fault !== null && <span className="text-[12.5px] text-bad">{fault}</span>}
    </span>
  );
}
