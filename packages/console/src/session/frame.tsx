import { Moon, Sun, SunMoon, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../look/button.tsx';
import { cn } from '../look/class-names.ts';
import { type Look, setLook, useLook } from '../look/look-choice.ts';
import { SessionList } from './session-list.tsx';

const looks: Readonly<Record<Look, { next: Look; icon: typeof Sun }>> = {
  system: { next: 'light', icon: SunMoon },
  light: { next: 'dark', icon: Sun },
  dark: { next: 'system', icon: Moon },
};

function LookButton() {
  const look = useLook();
  const { next, icon: Icon } = looks[look];
  return (
    <Button tone="quiet" size="icon" aria-label={`Look: ${look}; change to ${next}`} onClick={() => setLook(next)}>
      <Icon aria-hidden className="size-4.5" />
    </Button>
  );
}

interface FrameProps {
  openId: string | null;
  children(openMenu: () => void): ReactNode;
}

/** The conversations beside the one that is open; on a narrow screen they lie behind a button. */
export function Frame({ openId, children }: FrameProps) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const close = () => setMenuOpen(false);
  return (
    <div className="flex h-full">
      {isMenuOpen && (
        <button
          type="button"
          aria-label="Close the list"
          className="fixed inset-0 z-10 bg-black/40 md:hidden"
          onClick={close}
        />
      )}
      <aside
        className={cn(
          'flex w-72 shrink-0 flex-col gap-3 border-r border-line bg-side p-3',
          'max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:z-20 max-md:shadow-xl',
          !isMenuOpen && 'max-md:hidden',
        )}
      >
        <div className="flex items-center gap-2 px-1">
          <img src="/icon.svg" alt="" className="size-7" />
          <span className="flex-1 font-semibold">Rostra</span>
          <LookButton />
          <Button tone="quiet" size="icon" aria-label="Close the list" className="md:hidden" onClick={close}>
            <X aria-hidden className="size-4.5" />
          </Button>
        </div>
        <SessionList openId={openId} onOpen={close} />
      </aside>
      <main className="flex min-w-0 flex-1 flex-col">{children(() => setMenuOpen(true))}</main>
    </div>
  );
}
