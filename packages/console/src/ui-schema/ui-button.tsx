import type { UiNode } from '@rostra/protocol/run-api/ui-schema';
import type { MouseEvent } from 'react';
import { Button } from '../look/button.tsx';
import { useAttempt } from '../use-attempt.ts';
import { perform, useUiActions } from './ui-actions.ts';

const tones = { primary: 'primary', secondary: 'plain', danger: 'danger', plain: 'quiet' } as const;

export function UiButton({ node }: { node: Extract<UiNode, { type: 'button' }> }) {
  const actions = useUiActions();
  const { isBusy, fault, attempt } = useAttempt();
  const press = ({ currentTarget }: MouseEvent) =>
    attempt(perform(actions, node.action, {}, currentTarget.closest('[data-testid=ui-card]') ?? undefined));
  return (
    <span className="inline-flex flex-col gap-1">
      <Button tone={tones[node.variant ?? 'secondary']} disabled={node.disabled === true || isBusy} onClick={press}>
        {node.label}
      </Button>
      {fault !== null && <span className="text-[12.5px] text-bad">{fault}</span>}
    </span>
  );
}
