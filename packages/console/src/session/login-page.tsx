import { KeyRound } from 'lucide-react';

/** Nobody is logged in, or nobody any more: the way in is a link that only the host can print. */
export function LoginPage({ isLoggedOut }: { isLoggedOut: boolean }) {
  return (
    <main className="mx-auto flex h-full max-w-md flex-col justify-center gap-3 px-6">
      <KeyRound aria-hidden className="size-8 text-accent" />
      <h1 className="text-xl font-semibold">
        {isLoggedOut ? 'You are logged out' : 'Open the link that the host printed'}
      </h1>
      {isLoggedOut ? (
        <p className="text-dim">
          The login of this browser has ended. What you were writing is kept in this tab until you are back.
        </p>
      ) : (
        <p className="text-dim">
          Rostra prints a login link when it starts. It works once, within 15 minutes, and keeps this browser logged in.
        </p>
      )}
      <p className="text-dim">For a new one, run this where the host runs, and open what it prints:</p>
      <pre className="rounded-lg border border-line bg-soft px-4 py-3 font-mono text-sm">npx rostra open</pre>
    </main>
  );
}
