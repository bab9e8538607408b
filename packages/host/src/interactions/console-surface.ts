import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { type ActiveRun, noSuchRun } from '../orchestrator/run-charter.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import type { RunStore } from '../store/ports/run.ts';
import type { PlatformSurface, RequestedAction } from './platform-surface.ts';

/** What the console can do beside showing what is said: an agent changes or takes back words of its own. */
export const consoleActions = ['message.edit', 'message.delete'] as const;

export interface ConsoleSurfaceOptions {
  readonly voice: Pick<RunVoice, 'act'>;
  readonly runs: Pick<RunStore, 'get'>;
}

/** The console's own surface. What was said stays in the log; that it was changed is a record of its own. */
export class ConsoleSurface implements PlatformSurface {
  readonly actions = consoleActions;
  readonly #options: ConsoleSurfaceOptions;

  constructor(options: ConsoleSurfaceOptions) {
    this.#options = options;
  }

  async perform(run: ActiveRun, { action, target, payload }: RequestedAction): Promise<Json> {
    const message_id = target.message_id ?? payload.message_id;
    if (typeof message_id !== 'string' || !(await this.#isOwn(run, message_id))) {
      throw new ApiError('not_found', 'There is no such message of this agent in this conversation.');
    }
    const { voice } = this.#options;
    if (action === 'message.delete') {
      if (!voice.act(run.run_id, 'message.deleted', { message_id })) throw noSuchRun();
      return { message_id };
    }
    const { content } = payload;
    if (typeof content !== 'string') throw new ApiError('invalid_argument', 'The new content of a message is a text.');
    if (utf8Length(content) > limits.interaction_bytes) {
      throw new ApiError('payload_too_large', `A message is edited to at most ${limits.interaction_bytes} bytes.`);
    }
    if (!voice.act(run.run_id, 'message.edited', { message_id, content })) throw noSuchRun();
    return { message_id };
  }

  /** Messages are named after the run that said them: whose it was and where is known. */
  async #isOwn(run: ActiveRun, message_id: string): Promise<boolean> {
    const end = message_id.lastIndexOf('.m');
    const run_id = end > 0 ? message_id.slice(0, end) : '';
    if (run_id === run.run_id) return true;
    const said = await this.#options.runs.get(run_id);
    if (said === null || said.session_id !== run.session_id || said.agent_id !== run.agent_id) return false;
    const { bot_id, thread_id } = run.charter.grant.scope;
    return said.bot_id === bot_id && said.thread_id === thread_id;
  }
}
