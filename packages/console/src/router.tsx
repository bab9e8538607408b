import { RostraError } from '@rostra/client';
import { WELCOME_SESSION_ID } from '@rostra/protocol/run-api/welcome-session';
import { useQuery } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  useNavigate,
  useParams,
} from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client } from './client.ts';
import { newSessionId } from './session/chat-feed.ts';
import { ChatPage } from './session/chat-page.tsx';
import { Frame } from './session/frame.tsx';
import { LoginPage } from './session/login-page.tsx';

export const meKey = ['me'];
/** After so long a host that was not reached is looked for again. */
const AGAIN = 2_000;

function isStranger(error: unknown): boolean {
  return error instanceof RostraError && error.status === 401;
}

function Root() {
  const me = useQuery({
    queryKey: meKey,
    queryFn: () => client.keys.me(),
    staleTime: 60_000,
    refetchInterval: ({ state: { error } }) => (error !== null && !isStranger(error) ? AGAIN : false),
  });
  if (isStranger(me.error)) return <LoginPage isLoggedOut={me.data !== undefined} />;
  // A host that is away for a moment takes nothing off the screen: what is being written there would be lost.
  if (me.data !== undefined) return <Outlet />;
  return me.isError ? <p className="p-6 text-bad">{me.error.message}</p> : null;
}

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: () => <p className="p-6">Nothing is here.</p>,
});

/** How long a page waits to learn whether somebody is to be greeted. */
const ARRIVAL = 2_000;
/** Whoever has chosen a conversation, also a new one, is left there. */
let isArriving = window.location.pathname === '/';

/** Whether the only conversation is the one in which a new host greets its owner. */
async function isToBeGreeted(): Promise<boolean> {
  try {
    const { items } = await client.sessions.list({ limit: 2 }, { signal: AbortSignal.timeout(ARRIVAL) });
    return items.length === 1 && items[0]?.id === WELCOME_SESSION_ID;
  } catch (error) {
    // A stranger, or a host that is away: the page itself says so.
    if (error instanceof RostraError || error instanceof DOMException) return false;
    throw error;
  }
}

/** One page for all conversations: the first message gives a new one its address, and whoever writes writes on. */
const chats = createRoute({ getParentRoute: () => rootRoute, id: 'chats', component: Chats });
const newRoute = createRoute({
  getParentRoute: () => chats,
  path: '/',
  beforeLoad: async () => {
    const wasArriving = isArriving;
    isArriving = false;
    if (!wasArriving || !(await isToBeGreeted())) return;
    throw redirect({ to: '/chat/$sessionId', params: { sessionId: WELCOME_SESSION_ID }, replace: true });
  },
});
const chatRoute = createRoute({ getParentRoute: () => chats, path: '/chat/$sessionId' });

function Chats() {
  const navigate = useNavigate();
  const { sessionId: openId = null } = useParams({ strict: false });
  const [nextId, setNextId] = useState(newSessionId);
  // Whoever leaves a new conversation, by its first message or for another one, finds another new one.
  useEffect(() => {
    if (openId !== null) setNextId(newSessionId());
  }, [openId]);
  const sessionId = openId ?? nextId;
  const toChat = () => void navigate({ to: '/chat/$sessionId', params: { sessionId }, replace: true });
  return (
    <Frame openId={openId}>
      {(openMenu) => <ChatPage key={sessionId} sessionId={sessionId} openMenu={openMenu} onFirst={toChat} />}
    </Frame>
  );
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([chats.addChildren([newRoute, chatRoute])]),
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
