import { RostraError } from '@rostra/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onStranger } from './client.ts';
import './look/look.css';
import { startLook } from './look/look-choice.ts';
import { meKey, router } from './router.tsx';

startLook();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What was refused is refused again; what was not reached may be.
      retry: (count, error) =>
        count < 3 && !(error instanceof RostraError && error.status >= 400 && error.status < 500),
    },
  },
});

// Whoever is told so asks who it is, once: the answer to that question is another of these.
onStranger(() => void queries.invalidateQueries({ queryKey: meKey }, { cancelRefetch: false }));

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the console');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
