import {
  type ChangeEvent,
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useAttempt } from '../use-attempt.ts';
import { keepDraft, keptDraft, useKeptText } from './kept-draft.ts';
import { type Mention, mentionAt, suggestions } from './mention.ts';

export interface Draft {
  readonly text: string;
  readonly files: readonly File[];
}

export interface DraftWork {
  /** What is written is kept under this. */
  draftId: string;
  /** Whether the host can be heard: why it was not reached matters no more once it can. */
  isReachable: boolean;
  agents: readonly string[];
  isRunning: boolean;
  send(draft: Draft): Promise<void>;
  stop(): void;
}

const HEIGHT_MAX = 240;

/** What was written meanwhile is the next message. */
function after(sent: string, now: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now;
}

/** The area is as high as its text. Where the cursor is to stand once a text is set: else it stands at its end. */
function useFit(text: string, area: RefObject<HTMLTextAreaElement | null>): RefObject<number | null> {
  const cursor = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = text === '' ? '' : `${Math.min(element.scrollHeight, HEIGHT_MAX)}px`;
    if (cursor.current === null) return;
    element.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  }, [text, area]);
  return cursor;
}

/** The files of a draft; another choice of them forgives what was refused. */
function useFiles(forgive: () => void) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const addFiles = useCallback(
    (more: readonly File[]) => {
      forgive();
      setFiles((now) => [...now, ...more]);
    },
    [forgive],
  );
  const noteSent = (sent: readonly File[]) => setFiles((now) => now.filter((file) => !sent.includes(file)));
  const dropFile = (file: File) => {
    forgive();
    noteSent([file]);
  };
  // What is copied from a document is words, and a picture of them.
  const onPaste = (event: ClipboardEvent) => {
    const { files: pasted, types } = event.clipboardData;
    if (pasted.length === 0 || types.includes('text/plain')) return;
    event.preventDefault();
    addFiles([...pasted]);
  };
  return { files, addFiles, dropFile, onPaste, noteSent };
}

/** What is being written: it stays until the host has taken it. */
export function useDraft(work: DraftWork, area: RefObject<HTMLTextAreaElement | null>) {
  const { draftId, isReachable, agents, isRunning, send, stop } = work;
  const [text, setText] = useKeptText(draftId);
  const [mention, setMention] = useState<Mention | null>(null);
  const [chosen, setChosen] = useState(0);
  const cursor = useFit(text, area);
  const { isBusy, fault, attempt, forgive } = useAttempt();
  const { files, addFiles, dropFile, onPaste, noteSent } = useFiles(forgive);
  const offered = suggestions(mention, agents);
  const isReady = !isBusy && (text.trim() !== '' || files.length > 0);

  useEffect(() => {
    if (isReachable) forgive();
  }, [isReachable, forgive]);

  const submit = () => {
    if (!isReady) return;
    const sent = send({ text: text.trim(), files }).then(() => {
      // Kept here, too: whoever has gone elsewhere meanwhile must not find it again as if it were not sent.
      keepDraft(draftId, after(text, keptDraft(draftId)));
      setText((now) => after(text, now));
      noteSent(files);
    });
    void attempt(sent).then(() => area.current?.focus());
  };
  const take = (agentId: string) => {
    if (mention === null) return;
    const end = mention.from + 1 + mention.typed.length;
    const named = `${text.slice(0, mention.from)}@${agentId} `;
    cursor.current = named.length;
    setText(named + text.slice(end).trimStart());
    setMention(null);
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Safari has ended the composition by then, and says so with this key code alone.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const pick = offered[Math.min(chosen, offered.length - 1)];
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (pick !== undefined && (event.key === 'Enter' || event.key === 'Tab')) take(pick);
    else if (pick !== undefined && isArrow) {
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length);
    } else if (event.key === 'Escape' && pick !== undefined) setMention(null);
    else if (event.key === 'Escape' && isRunning) stop();
    else if (event.key === 'Enter' && !event.shiftKey) submit();
    else return;
    event.preventDefault();
  };
  const onChange = (event: ChangeEvent<HTMLTextAreaElement>) => {
    forgive();
    setText(event.target.value);
    setMention(mentionAt(event.target.value, event.target.selectionStart));
    setChosen(0);
  };
  // An agent is named where the cursor stands: what is offered goes with it.
  const onSelect = ({ currentTarget: { value, selectionStart } }: SyntheticEvent<HTMLTextAreaElement>) => {
    if (mention !== null && mentionAt(value, selectionStart)?.from !== mention.from) setMention(null);
  };
  const onBlur = () => setMention(null);
  return {
    text,
    files,
    addFiles,
    dropFile,
    offered,
    chosen,
    take,
    fault,
    isReady,
    submit,
    onChange,
    onKeyDown,
    onPaste,
    onSelect,
    onBlur,
  };
}
