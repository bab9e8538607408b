import { newId, RostraError } from '@rostra/client';
import { useQuery } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client } from './client.ts';
import { ChatPage } from './session/chat-page.tsx';
import { Frame } from './session/frame.tsx';
import { LoginPage } from './session/login-page.tsx';

function Root() {
  const me = useQuery({ queryKey: ['me'], queryFn: () => client.keys.me(), staleTime: 60_000 });
  if (me.error instanceof RostraError && me.error.status === 401) return <LoginPage />;
  if (me.isError) return <p className="p-6 text-bad">{me.error.message}</p>;
  return me.isSuccess ? <Outlet /> : null;
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
