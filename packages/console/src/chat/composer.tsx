import { ArrowUp, Paperclip, Square, X } from 'lucide-react';
import { type ChangeEvent, useId, useRef } from 'react';
import { AgentMark } from '../look/agent-mark.tsx';
import { Button } from '../look/button.tsx';
import { cn } from '../look/class-names.ts';
import { type DraftWork, useDraft } from './use-draft.ts';
import { useDroppedFiles } from './use-dropped-files.ts';

interface ComposerProps extends DraftWork {
  activeAgentId: string | null;
  isStopping: boolean;
}

/** Where people write: Enter sends, Shift+Enter breaks the line, `@` names an agent, Escape stops. */
export function Composer({ activeAgentId, isStopping, ...work }: ComposerProps) {
  const { isRunning, stop } = work;
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(work, area);
  const { text, files, addFiles, dropFile, fault } = draft;
  const isOver = useDroppedFiles(addFiles);
  const list = useId();
  const isOffered = draft.offered.length > 0;
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-4">
      {fault !== null && (
        <p role="alert" className="mb-2 rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad">
          {fault}
        </p>
      )}
      <div
        className={cn(
          'relative rounded-2xl border border-line bg-raised shadow-sm focus-within:border-accent',
          isOver && 'border-accent border-dashed',
        )}
      >
        <Suggestions id={list} offered={draft.offered} chosen={draft.chosen} take={draft.take} />
        <Files files={files} drop={dropFile} />
        <textarea
          ref={area}
          rows={1}
          value={text}
          onChange={draft.onChange}
          onKeyDown={draft.onKeyDown}
          onPaste={draft.onPaste}
          onSelect={draft.onSelect}
          onBlur={draft.onBlur}
          // No `combobox`: a text of several lines may not be one.
          aria-label="Message"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={isOffered ? list : undefined}
          aria-activedescendant={isOffered ? optionId(list, draft.chosen) : undefined}
          placeholder={placeholderOf(activeAgentId, isOver)}
          className="block max-h-60 w-full resize-none bg-transparent px-4 pt-3 pb-1 outline-none placeholder:text-dim"
        />
        <div className="flex items-center gap-2 px-2 pb-2">
          <Attach add={addFiles} />
          <span className="flex-1" />
          {isRunning && (
            <Button
              tone="plain"
              onClick={({ detail }) => {
                stop();
                // Pressed by a key: the button goes, and whoever has no pointer would stand nowhere.
                if (detail === 0) area.current?.focus();
              }}
              disabled={isStopping}
              data-testid="stop"
            >
              <Square aria-hidden className="size-3.5 fill-current" /> {isStopping ? 'Stopping' : 'Stop'}
            </Button>
          )}
          <Button tone="primary" size="icon" aria-label="Send" onClick={draft.submit} disabled={!draft.isReady}>
            <ArrowUp aria-hidden className="size-4.5" />
          </Button>
        </div>
      </div>
    </div>
  );
}

function placeholderOf(activeAgentId: string | null, isOver: boolean): string {
  if (isOver) return 'Drop images here';
  return activeAgentId === null ? 'Write a message' : `Write to ${activeAgentId}, or @ another agent`;
}

function Attach({ add }: { add(files: readonly File[]): void }) {
  const picker = useRef<HTMLInputElement>(null);
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    add([...(event.target.files ?? [])]);
    event.target.value = '';
  };
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        hidden
        multiple
        onChange={pick}
      />
      <Button tone="quiet" size="icon" aria-label="Attach an image" onClick={() => picker.current?.click()}>
        <Paperclip aria-hidden className="size-4.5" />
      </Button>
    </>
  );
}

function optionId(list: string, index: number): string {
  return `${list}.${index}`;
}

function intoSight(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}

interface SuggestionsProps {
  /** Of the list; the text names it while it is there. */
  id: string;
  offered: readonly string[];
  chosen: number;
  take(agentId: string): void;
}

function Suggestions({ id, offered, chosen, take }: SuggestionsProps) {
  if (offered.length === 0) return null;
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Agents"
      className="absolute bottom-full left-2 mb-2 max-h-[40dvh] min-w-48 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lg"
    >
      {offered.map((agentId, index) => (
        <div
          key={agentId}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          ref={index === chosen ? intoSight : undefined}
          // Before the text loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            take(agentId);
          }}
          className={cn('flex cursor-pointer items-center gap-2 rounded-lg px-2 py-1.5', index === chosen && 'bg-soft')}
        >
          <AgentMark name={agentId} className="size-6 text-[12px]" /> {agentId}
        </div>
      ))}
    </div>
  );
}

function Files({ files, drop }: { files: readonly File[]; drop(file: File): void }) {
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-3 pt-3">
      {files.map((file) => (
        <li
          key={`${file.name}.${file.size}.${file.lastModified}`}
          className="flex items-center gap-1 rounded-lg bg-soft py-1 pr-1 pl-2.5 text-[13px]"
        >
          {file.name}
          <Button tone="quiet" size="tiny" aria-label={`Remove ${file.name}`} onClick={() => drop(file)}>
            <X aria-hidden className="size-3.5" />
          </Button>
        </li>
      ))}
    </ul>
  );
}
