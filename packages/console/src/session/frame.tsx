import { Dialog } from '@base-ui/react/dialog';
import { Moon, Sun, SunMoon, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
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

/** Everything that is not the open conversation. */
function Side({ openId, onOpen, close }: { openId: string | null; onOpen(): void; close: ReactNode }) {
  return (
    <>
      <div className="flex items-center gap-2 px-1">
        <img src="/icon.svg" alt="" className="size-7" />
        <span className="flex-1 font-semibold">Rostra</span>
        <LookButton />
        {close}
      </div>
      <SessionList openId={openId} onOpen={onOpen} />
    </>
  );
}

const side = 'flex w-72 flex-col gap-3 border-r border-line bg-side p-3';

/** The conversations beside the one that is open; on a narrow screen they lie behind a button. */
export function Frame({ openId, children }: FrameProps) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const close = () => setMenuOpen(false);
  useEffect(() => {
    // On a screen that has become wide they stand beside it anyway.
    const wide = window.matchMedia('(min-width: 48rem)');
    const onChange = ({ matches }: MediaQueryListEvent) => {
      if (matches) setMenuOpen(false);
    };
    wide.addEventListener('change', onChange);
    return () => wide.removeEventListener('change', onChange);
  }, []);
  return (
    <div className="flex h-full">
      <aside className={cn(side, 'shrink-0 max-md:hidden')}>
        <Side openId={openId} onOpen={close} close={null} />
      </aside>
      <Dialog.Root open={isMenuOpen} onOpenChange={setMenuOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 bg-black/40" />
          <Dialog.Popup aria-label="Conversations" className={cn(side, 'fixed inset-y-0 left-0 shadow-xl')}>
            <Side
              openId={openId}
              onOpen={close}
              close={
                <Dialog.Close render={<Button tone="quiet" size="icon" aria-label="Close the list" />}>
                  <X aria-hidden className="size-4.5" />
                </Dialog.Close>
              }
            />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      <main className="flex min-w-0 flex-1 flex-col">{children(() => setMenuOpen(true))}</main>
    </div>
  );
}
