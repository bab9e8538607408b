import { Menu } from '@base-ui/react/menu';
import { Check, ChevronDown, Plus, UserMinus } from 'lucide-react';
import { AgentMark } from '../look/agent-mark.tsx';

export interface RosterProps {
  agents: readonly string[];
  activeAgentId: string | null;
  /** Whom one could invite. */
  others: readonly string[];
  switchTo(agentId: string): void;
  invite(agentId: string): void;
  remove(agentId: string): void;
}

const popup =
  'max-h-(--available-height) max-w-(--available-width) min-w-52 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lg outline-none';
const entry =
  'flex cursor-pointer items-center gap-2 rounded-lg px-2 py-1.5 text-sm outline-none data-[highlighted]:bg-soft';

/** Who is in the session: one answers at a time, and the user decides who. */
export function Roster({ agents, activeAgentId, others, switchTo, invite, remove }: RosterProps) {
  return (
    <Menu.Root>
      <Menu.Trigger
        data-testid="roster"
        className="flex cursor-pointer items-center gap-2 rounded-lg border border-line bg-raised px-2 py-1.5 text-sm hover:bg-soft"
      >
        <span className="flex -space-x-1.5">
          {agents.slice(0, 4).map((id) => (
            <AgentMark key={id} name={id} className="size-6 rounded-md text-[12px] ring-2 ring-raised" />
          ))}
        </span>
        <span className="sr-only">Agents, answers:</span>
        <span className="max-w-32 truncate font-medium">{activeAgentId ?? 'no agent'}</span>
        <ChevronDown aria-hidden className="size-4 text-dim" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end">
          <Menu.Popup className={popup}>
            {agents.map((id) => (
              <Member key={id} id={id} isActive={id === activeAgentId} switchTo={switchTo} remove={remove} />
            ))}
            {others.length > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
            {others.map((id) => (
              <Menu.Item key={id} className={entry} onClick={() => invite(id)}>
                <Plus aria-hidden className="size-4 shrink-0 text-dim" />
                <span className="min-w-0 wrap-anywhere">Invite {id}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Member(props: { id: string; isActive: boolean } & Pick<RosterProps, 'switchTo' | 'remove'>) {
  const { id, isActive, switchTo, remove } = props;
  return (
    <div className="flex items-center">
      <Menu.Item className={`${entry} min-w-0 flex-1`} onClick={() => switchTo(id)}>
        <AgentMark name={id} className="size-6 rounded-md text-[12px]" />
        <span className="flex-1 truncate">{id}</span>
        {isActive && <Check aria-label="answers" className="size-4 text-accent" />}
      </Menu.Item>
      <Menu.Item className={entry} aria-label={`Remove ${id}`} onClick={() => remove(id)}>
        <UserMinus aria-hidden className="size-4 text-dim" />
      </Menu.Item>
    </div>
  );
}
