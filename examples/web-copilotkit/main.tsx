import { CopilotChat, CopilotKitProvider, useDefaultRenderTool, useFrontendTool } from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';

const agent = new URLSearchParams(location.search).get('agent') ?? 'guide';

/** The same conversation after a reload: the host has it. */
function threadOf(storage: Storage): string {
  const threadId = storage.getItem('threadId') ?? crypto.randomUUID();
  storage.setItem('threadId', threadId);
  return threadId;
}

/** A tool that runs in the page: agents call it, the host only passes the call on. */
function Page() {
  const [colour, setColour] = useState('lightgrey');
  useFrontendTool({
    name: 'set_bar_colour',
    description: 'Sets the colour of the bar at the top of the page.',
    parameters: z.object({ colour: z.string().describe('A CSS colour.') }),
    handler: async (given) => {
      setColour(String(given.colour));
      return `The bar is ${given.colour} now.`;
    },
  });
  useDefaultRenderTool();
  return (
    <main style={{ display: 'grid', gridTemplateRows: 'auto 1fr', height: '100vh', margin: 0 }}>
      <header style={{ background: colour, padding: '0.75rem 1.5rem' }}>{agent}, on Rostra</header>
      <CopilotChat agentId={agent} threadId={threadOf(sessionStorage)} />
    </main>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root');
createRoot(root).render(
  <CopilotKitProvider runtimeUrl="/api/v1/copilotkit" enableInspector={false}>
    <Page />
  </CopilotKitProvider>,
);
