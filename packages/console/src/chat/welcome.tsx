import { type ReactNode, useState } from 'react';
import { AgentMark } from '../look/agent-mark.tsx';

interface WelcomeProps {
  agents: readonly { id: string; description: string | null }[];
  activeAgentId: string | null;
  isDemo: boolean;
  /** Rejects when it was not said. */
  say(text: string): Promise<void>;
}

/** What a newcomer can try with the demo's agents, in the order of a first minute. */
const tries: readonly (readonly [text: string, what: string])[] = [
  ['What is Rostra?', 'an answer, word by word'],
  ['/handover scout you want to look further', 'guide asks you before scout takes over'],
  ['/ask', 'an agent that waits for your answer, even over a restart'],
  ['/slow 60 200', 'a long answer: reload the page, or stop it'],
  ['/ui', 'a card with buttons that work'],
  ['/client-tool get_local_time {}', 'an agent that uses a tool of this page'],
];

export function Welcome({ agents, activeAgentId, isDemo, say }: WelcomeProps) {
  const active = agents.find(({ id }) => id === activeAgentId) ?? agents[0];
  const [isSaid, setSaid] = useState(false);
  const begin = (text: string) => {
    setSaid(true);
    say(text).catch(() => setSaid(false));
  };
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-6 px-4 py-10">
        {active !== undefined && <Greeting id={active.id} isDemo={isDemo} description={active.description} />}
        {isDemo && (
          <div className="ml-10 grid gap-2 sm:grid-cols-2">
            {tries.map(([text, what]) => (
              <button
                key={text}
                type="button"
                disabled={isSaid}
                onClick={() => begin(text)}
                className="cursor-pointer rounded-xl border border-line bg-raised px-4 py-3 text-left hover:bg-soft"
              >
                <span className="block font-medium break-words">{text}</span>
                <span className="block text-[13px] text-dim">{what}</span>
              </button>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

function Greeting({ id, isDemo, description }: { id: string; isDemo: boolean; description: string | null }): ReactNode {
  return (
    <div className="flex gap-3">
      <AgentMark name={id} className="mt-0.5" />
      <div>
        <div className="mb-0.5 text-[13px] font-medium text-dim">{id}</div>
        <p className="text-lg font-medium">Hello, I am {id}. What shall we do?</p>
        {description !== null && !isDemo && <p className="mt-1 text-dim">{description}</p>}
        {isDemo && (
          <p className="mt-1 text-dim">
            I need no model and no key: I show what the host does. Write anything, or try one of these.
          </p>
        )}
      </div>
    </div>
  );
}
