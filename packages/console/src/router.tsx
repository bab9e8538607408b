import { newId, RostraError } from '@rostra/client';
import { useQuery } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client } from './client.ts';
import { ChatPage } from './session/chat-page.tsx';
import { Frame } from './session/frame.tsx';
import { LoginPage } from './session/login-page.tsx';

/** After so long a host that was not reached is looked for again. */
const AGAIN = 2_000;

function isStranger(error: unknown): boolean {
  return error instanceof RostraError && error.status === 401;
}

function Root() {
  const me = useQuery({
    queryKey: ['me'],
    queryFn: () => client.keys.me(),
    staleTime: 60_000,
    refetchInterval: ({ state: { error } }) => (error !== null && !isStranger(error) ? AGAIN : false),
  });
  if (isStranger(me.error)) return <LoginPage />;
  // A host that is away for a moment takes nothing off the screen: what is being written there would be lost.
  if (me.data !== undefined) return <Outlet />;
  return me.isError ? <p className="p-6 text-bad">{me.error.message}</p> : null;
}

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: () => <p className="p-6">Nothing is here.</p>,
});

const newRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: NewChat });
const chatRoute = createRoute({ getParentRoute: () => rootRoute, path: '/chat/$sessionId', component: OpenChat });

function NewChat() {
  const navigate = newRoute.useNavigate();
  const sessionId = useMemo(() => newId(), []);
  const toChat = () => void navigate({ to: '/chat/$sessionId', params: { sessionId }, replace: true });
  return (
    <Frame openId={null}>
      {(openMenu) => <ChatPage sessionId={sessionId} openMenu={openMenu} isFresh onFirst={toChat} />}
    </Frame>
  );
}

function OpenChat() {
  const { sessionId } = chatRoute.useParams();
  return (
    <Frame openId={sessionId}>
      {(openMenu) => <ChatPage key={sessionId} sessionId={sessionId} openMenu={openMenu} />}
    </Frame>
  );
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([newRoute, chatRoute]),
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
