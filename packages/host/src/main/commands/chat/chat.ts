import { type RostraClient, RostraError, type Run } from '@rostra/client';
import type { AgentItem } from '@rostra/protocol/run-api/agent-api';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { WELCOME_SESSION_ID } from '@rostra/protocol/run-api/welcome-session';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { explained } from '../host-door.ts';
import { shownLines } from '../printing.ts';
import { CHAT_HELP, type ChatCommand, readLine } from './chat-line.ts';
import { Questions } from './questions.ts';
import { Roster } from './roster.ts';
import type { Terminal } from './terminal.ts';
import { TurnView } from './turn-view.ts';

/** After so many attempts in a row nobody believes in the connection any more. */
const ATTEMPTS = 20;

export interface ChatStart {
  readonly client: RostraClient;
  readonly terminal: Terminal;
  readonly url: string;
  /** Who is spoken to first; null: whoever the host chooses. */
  readonly agent: string | null;
  /** The language of whoever sits here, where that is known. */
  readonly locale: string | null;
}

/** A talk with the agents of a host. */
export class Chat {
  readonly #client: RostraClient;
  readonly #terminal: Terminal;
  readonly #start: ChatStart;
  readonly #questions: Questions;
  readonly #view: TurnView;
  readonly #roster: Roster;
  #agent: string | null;
  #sessionId: string = crypto.randomUUID();
  #run: Run | null = null;
  /** The run that Ctrl-C stopped last. */
  #stopped: Run | null = null;
  #interrupts = 0;
  #isLeaving = false;
  /** Whether anything went wrong: a pipe is told by the exit code. */
  hasFailed = false;

  constructor(start: ChatStart) {
    this.#start = start;
    this.#client = start.client;
    this.#terminal = start.terminal;
    this.#agent = start.agent;
    this.#questions = new Questions(start.client, start.terminal, start.url);
    this.#view = new TurnView(start.terminal);
    this.#roster = new Roster(start.client, start.terminal);
  }

  /** Ctrl-C: calls a question off, or stops the answer that is coming, else leaves; the second one always leaves. */
  interrupt(): void {
    this.#interrupts += 1;
    const isBusy = this.#run !== null || this.#questions.isPut;
    if (!isBusy || this.#interrupts > 1) {
      this.#isLeaving = true;
      this.#terminal.close();
      if (isBusy) process.exit(this.hasFailed ? 1 : 130);
      return;
    }
    const isCalledOff = this.#terminal.callOff();
    this.#terminal.note('Stopping. Ctrl-C again leaves.');
    // The run behind a question ends with it.
    if (isCalledOff || this.#run === null) return;
    this.#stopped = this.#run;
    this.#run.cancel().catch((error: unknown) => this.#report(error));
  }

  async talk(): Promise<void> {
    while (!this.#isLeaving) {
      const line = await this.#terminal.ask('> ');
      if (line === null) return;
      this.#interrupts = 0;
      await this.#take(line).catch((error: unknown) => this.#report(error));
    }
  }

  /** A host that was never used greets: whoever comes first is taken there. */
  async welcome(): Promise<void> {
    const [only, ...others] = (await this.#client.sessions.list({ limit: 2 })).items;
    const isFirst = only?.id === WELCOME_SESSION_ID && only.runs <= 1 && others.length === 0;
    if (isFirst) await this.resume(only.id);
  }

  /** Goes on with a session: the one named, or the latest. */
  async resume(id: string): Promise<void> {
    const sessionId = id === '' ? (await this.#client.sessions.list({ limit: 1 })).items[0]?.id : id;
    if (sessionId === undefined) {
      const hint = 'Whatever you say begins one.';
      this.#terminal.refusal(new ApiError('not_found', 'There is no session yet.', { details: { hint } }));
      return;
    }
    const session = await this.#client.sessions.get(sessionId);
    this.#sessionId = session.id;
    this.#agent = null;
    const { items } = await this.#client.sessions.transcript(session.id, { limit: 6 });
    this.#terminal.note(`${session.title ?? 'Without a title'} (${session.id})`);
    for (const { role, agentId, content } of items) {
      this.#terminal.note(`${role === 'assistant' ? agentId : role}: ${shownLines(content)}`);
    }
    if (this.#terminal.isTTY) this.#view.card(items.at(-1)?.uiSchema ?? null);
    const last = await this.#newest();
    for (const { id: open, purpose } of session.interactions) {
      // The tools of another client are not ours to answer for.
      if (purpose !== 'client_tool' && !(await this.#put(open))) return;
    }
    // An answer may have begun another turn, which may be over by now.
    const newest = session.interactions.length === 0 ? last : await this.#newest();
    const tasks = new Set(session.inflight.map(({ taskId }) => taskId));
    if (newest !== null && newest !== last) tasks.add(newest);
    for (const taskId of tasks) {
      if (this.#isLeaving) return;
      await this.#follow(this.#client.runs.follow(taskId, this.#options));
    }
  }

  async #take(line: string): Promise<void> {
    const read = readLine(line);
    if (read.kind === 'command') await this.#command(read.name, read.words);
    if (read.kind !== 'message') return;
    const mentioned = read.agent === null ? null : await this.#roster.find(read.agent);
    const agent: Pick<AgentItem, 'id'> | null = mentioned ?? (this.#agent === null ? null : { id: this.#agent });
    this.#agent = null;
    const chosen = read.agent === null ? this.#view.takeChoice(read.text) : null;
    if (chosen !== null) this.#terminal.note(chosen.label);
    const asked = {
      threadId: this.#sessionId,
      text: chosen?.text ?? read.text,
      ...(agent !== null && { agentId: agent.id }),
      ...(this.#start.locale !== null && { forwardedProps: { locale: this.#start.locale } }),
    };
    await this.#follow(await this.#client.runs.start(asked, this.#options));
  }

  async #command(name: ChatCommand, words: string): Promise<void> {
    switch (name) {
      case 'agents':
        await this.#roster.show(this.#sessionId);
        break;
      case 'invite':
        await this.#roster.invite(this.#sessionId, words);
        break;
      case 'remove':
        await this.#roster.remove(this.#sessionId, words);
        break;
      case 'new':
        this.#sessionId = crypto.randomUUID();
        // A number is no answer to a card that stands in another session.
        this.#view.card(null);
        this.#terminal.note('A new session.');
        break;
      case 'resume':
        await this.resume(words);
        break;
      case 'commands':
        this.#terminal.write(CHAT_HELP);
        break;
      case 'quit':
        this.#isLeaving = true;
    }
  }

  get #options() {
    return {
      attempts: ATTEMPTS,
      onRetry: ({ attempt }: { attempt: number }) => {
        if (attempt === 2) this.#terminal.note('The connection is lost; trying again.');
      },
    };
  }

  /** Shows a run to its end, puts its questions, and goes on with the turn that an answer began. */
  async #follow(run: Run): Promise<void> {
    this.#run = run;
    let open: string[] = [];
    try {
      for await (const event of run) {
        this.#terminal.tell({ taskId: run.taskId, event }, () => this.#view.show(event));
        if (event.type === 'RUN_ERROR' && event.code !== 'cancelled') this.hasFailed = true;
        open = openedBy(event);
        for (const id of open) {
          // Whoever stops the answer need not answer what it asks.
          if (this.#stopped === run) await this.#questions.callOff(id);
          else if (!(await this.#put(id))) return;
        }
      }
    } finally {
      this.#run = null;
    }
    if (open.length === 0 || this.#isLeaving) return;
    const newest = await this.#newest();
    if (newest !== null && newest !== run.taskId) {
      await this.#follow(this.#client.runs.follow(newest, this.#options));
    }
  }

  async #newest(): Promise<string | null> {
    const { items } = await this.#client.runs.list({ threadId: this.#sessionId, limit: 1 });
    return items[0]?.taskId ?? null;
  }

  /** Whether the talk goes on: nobody may be there to answer, and then nothing more can be followed. */
  async #put(id: string): Promise<boolean> {
    if (await this.#questions.put(id)) return true;
    const hint = '`rostra chat --resume` asks it again.';
    this.#terminal.refusal(new ApiError('invalid_argument', 'A question stays open.', { details: { hint } }));
    this.hasFailed = true;
    this.#isLeaving = true;
    return false;
  }

  #report(error: unknown): void {
    if (!(error instanceof RostraError)) throw error;
    this.hasFailed = true;
    this.#terminal.refusal(explained(error, this.#start.url));
  }
}

function openedBy(event: AguiEvent): string[] {
  if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') return [];
  return event.outcome.interrupts.map(({ id }) => id);
}
