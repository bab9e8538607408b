import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon, MessageCircleOff } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { runningTurn } from '../chat/chat-state.ts';
import { Composer } from '../chat/composer.tsx';
import { MessageList } from '../chat/message-list.tsx';
import { Welcome } from '../chat/welcome.tsx';
import { client } from '../client.ts';
import { Button } from '../look/button.tsx';
import { UiActionsContext } from '../ui-schema/ui-actions.ts';
import { useAttempt } from '../use-attempt.ts';
import { agentsQuery } from './agents.ts';
import { Roster } from './roster.tsx';
import { type Chat, useChat } from './use-chat.ts';

interface ChatPageProps {
  sessionId: string;
  openMenu(): void;
  /** The first message of a new conversation gave it its address. */
  onFirst(): void;
}

/** One conversation on the whole screen. */
export function ChatPage({ sessionId, openMenu, onFirst }: ChatPageProps) {
  const { data: known = [] } = useQuery(agentsQuery);
  const ids = known.map(({ id }) => id);
  const chat = useChat(sessionId, ids);
  const isReachable = chat.trouble === null;
  const { fault, attempt, forgive } = useAttempt();
  useEffect(() => {
    if (isReachable) forgive();
  }, [isReachable, forgive]);
  const turn = runningTurn(chat.chat);
  const isNew = chat.phase === 'absent';
  const inSession = isNew ? known.filter(({ isDefault }) => isDefault).map(({ id }) => id) : chat.chat.agents;
  const active = isNew ? (inSession[0] ?? ids[0] ?? null) : chat.chat.activeAgentId;
  const [sent, setSent] = useState(0);
  /** Whoever has gone elsewhere while the first message was on its way is left there. */
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const send: Chat['send'] = async (draft) => {
    setSent((before) => before + 1);
    forgive();
    await chat.send(draft);
    if (isNew && isHere.current) onFirst();
  };
  if (chat.phase === 'gone') {
    return (
      <>
        <Header openMenu={openMenu} title="No conversation" />
        <Gone />
      </>
    );
  }
  return (
    <UiActionsContext value={chat.uiActions}>
      <Header openMenu={openMenu} title={titleOf(chat)}>
        {!isNew && (
          <Roster
            agents={inSession}
            activeAgentId={active}
            others={ids.filter((id) => !inSession.includes(id))}
            switchTo={(id) => attempt(client.sessions.switchTo(sessionId, id))}
            invite={(id) => attempt(client.sessions.invite(sessionId, id))}
            remove={(id) => attempt(client.sessions.remove(sessionId, id))}
          />
        )}
      </Header>
      <Trouble text={fault ?? chat.trouble} />
      {isNew ? (
        <Welcome
          agents={known}
          activeAgentId={active}
          isDemo={ids.includes('guide') && ids.includes('scout') && (active === 'guide' || active === 'scout')}
          say={(text) => {
            const said = send({ text, files: [] });
            void attempt(said);
            return said;
          }}
        />
      ) : (
        <MessageList
          items={chat.chat.items}
          turns={chat.chat.turns}
          answer={chat.answer}
          sent={sent}
          loadEarlier={chat.earlier === null ? null : () => attempt(chat.loadEarlier())}
        />
      )}
      <Composer
        draftId={isNew ? 'new' : sessionId}
        isReachable={isReachable}
        agents={ids}
        activeAgentId={active}
        isRunning={turn !== null}
        isStopping={turn?.state === 'stopping'}
        send={send}
        stop={() => attempt(chat.stop())}
      />
    </UiActionsContext>
  );
}

/** As it was named, or how it began. */
function titleOf({ title, chat }: Chat): string {
  const first = chat.items.find((item) => item.kind === 'user');
  return title ?? (first?.kind === 'user' && first.text !== '' ? first.text : 'New conversation');
}

function Header({ openMenu, title, children }: { openMenu(): void; title: string; children?: ReactNode }) {
  return (
    <header className="flex min-h-14 items-center gap-2 border-b border-line px-3 py-2">
      <Button tone="quiet" size="icon" aria-label="Conversations" className="md:hidden" onClick={openMenu}>
        <MenuIcon aria-hidden className="size-5" />
      </Button>
      <title>{`${title} · Rostra`}</title>
      <h1 dir="auto" className="min-w-0 flex-1 truncate px-1 font-medium">
        {title}
      </h1>
      {children}
    </header>
  );
}

/** It was deleted, in another window perhaps, or the address is not right. */
function Gone() {
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-3 px-6 text-center" role="status">
      <MessageCircleOff aria-hidden className="size-8 text-dim" />
      <h2 className="text-lg font-medium">This conversation no longer exists</h2>
      <p className="text-dim">It was deleted, or its address is not complete.</p>
      <Link to="/" className="rounded-lg border border-line bg-raised px-3 py-2 text-sm font-medium hover:bg-soft">
        Start a new conversation
      </Link>
    </div>
  );
}

function Trouble({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p role="status" className="border-b border-line bg-warn-soft px-4 py-2 text-center text-sm text-warn">
      {text}
    </p>
  );
}
