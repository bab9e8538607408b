import { lazy, Suspense } from 'react';

const Markdown = lazy(() => import('./markdown.tsx').then(({ Markdown: markdown }) => ({ default: markdown })));

/** Words that may hold markdown; plain until the reader of markdown is there. */
export function Said({ text, isOpen = false }: { text: string; isOpen?: boolean }) {
  return (
    <Suspense
      fallback={
        <div dir="auto" className="whitespace-pre-wrap">
          {text}
        </div>
      }
    >
      <Markdown text={text} isOpen={isOpen} />
    </Suspense>
  );
}
