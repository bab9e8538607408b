import {
  ApiError,
  type JsonObject,
  type ModelMessage,
  type ModelTool,
  type ModelToolCall,
  type ModelUsage,
  type RunResult,
  reasoning,
  text,
} from '@rostra/runner-sdk';
import { CallReader } from './call-reader.ts';
import { gathered } from './gathering.ts';
import type { ChosenModel } from './model-choice.ts';
import { isOfModel, isOverflow, ModelFailure } from './model-failure.ts';
import { isHeldBack, Pauses, patiently } from './patience.ts';
import type { TurnRun } from './turn-run.ts';

/** What a model is told. `inWords`: it writes its calls of tools into its text. */
export interface ModelRequest {
  readonly messages: ModelMessage[];
  readonly tools: ModelTool[];
  readonly inWords: boolean;
}

export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ModelToolCall[];
  readonly finish_reason: string | null;
}

interface Answered {
  readonly message: ModelMessage;
  readonly finish_reason: string | null;
  readonly usage: ModelUsage | null;
}

/**
 * Calls the models of one run.
 *
 * M1. The next model takes over when one fails before its first piece, and stays; after it nothing is repeated.
 * M2. A run that is held back by the host waits; that is no failure of a model.
 */
export class ModelCaller {
  readonly #run: TurnRun;
  readonly #models: readonly ChosenModel[];
  #current: ChosenModel;

  constructor(run: TurnRun, models: readonly [ChosenModel, ...ChosenModel[]]) {
    this.#run = run;
    this.#models = models;
    this.#current = models[0];
  }

  get current(): ChosenModel {
    return this.#current;
  }

  /** The next answer: in pieces as they come where the surface shows pieces, otherwise only as what is returned. */
  async *speak(
    requestFor: (model: ChosenModel) => ModelRequest,
    isStreamed: boolean,
  ): AsyncGenerator<RunResult, ModelAnswer> {
    const pauses = new Pauses(this.#run.tools);
    for (;;) {
      const model = this.#current;
      const request = requestFor(model);
      const reader = new CallReader(request.inWords);
      try {
        if (isStreamed && model.streams) return yield* this.#streamed(model, request, reader);
        const answer = answerOf(await this.#whole(model, request), reader);
        if (isStreamed) yield* this.#atOnce(answer);
        return answer;
      } catch (error) {
        await this.#recover(error, pauses);
      }
    }
  }

  /** A short answer that nobody is shown. */
  async ask(messages: ModelMessage[]): Promise<string> {
    const pauses = new Pauses(this.#run.tools);
    for (;;) {
      try {
        const { message } = await this.#whole(this.#current, { messages, tools: [] });
        return textOf(message.content);
      } catch (error) {
        await this.#recover(error, pauses);
      }
    }
  }

  async countTokens(messages: ModelMessage[], tools: ModelTool[]): Promise<number | null> {
    const { model_id, counts } = this.#current;
    if (!counts) return null;
    const { tools: host } = this.#run;
    try {
      const counted = await patiently(host, () => host.api.models.count_tokens({ model_id, messages, tools }));
      return counted.tokens;
    } catch (error) {
      // An estimate does, too: what does not fit is refused by the model itself.
      if (host.signal.aborted || !(error instanceof ApiError)) throw error;
      return null;
    }
  }

  /** Returns when the answer may be asked for again, of this model or the next. */
  async #recover(error: unknown, pauses: Pauses): Promise<void> {
    if (this.#run.tools.signal.aborted) throw error;
    const failure = error instanceof ApiError ? new ModelFailure(error, false) : error;
    if (!(failure instanceof ModelFailure) || failure.hasBegun) throw failure;
    if (isHeldBack(failure.refusal)) return await pauses.take();
    const next = this.#models[this.#models.indexOf(this.#current) + 1];
    if (next === undefined || isOverflow(failure) || !isOfModel(failure.refusal)) throw failure;
    this.#current = next;
  }

  async *#streamed(
    { model_id }: ChosenModel,
    { messages, tools }: ModelRequest,
    reader: CallReader,
  ): AsyncGenerator<RunResult, ModelAnswer> {
    const { api } = this.#run.tools;
    const stream = api.models.stream({ model_id, messages, tools, extra_args: this.#extra });
    const calls: ModelToolCall[] = [];
    let [said, thought, hasBegun] = ['', '', false];
    try {
      for await (const chunk of gathered(stream)) {
        hasBegun ||= Boolean(chunk.content || chunk.reasoning_content || chunk.tool_calls?.length);
        if (chunk.reasoning_content) {
          thought += chunk.reasoning_content;
          if (this.#run.settings.show_reasoning) yield reasoning(chunk.reasoning_content);
        }
        const shown = reader.read(chunk.content ?? '');
        said += chunk.content ?? '';
        if (shown !== '') yield text(shown);
        calls.push(...(chunk.tool_calls ?? []));
      }
      const answered = await stream.result;
      this.#run.usage.add(model_id, answered.usage);
      const whole = textOf(answered.message.content);
      // Some send what they say only at the end.
      const late = said === '' ? reader.read(whole) : '';
      const rest = late + reader.end();
      if (rest !== '') yield text(rest);
      const given = answered.message.tool_calls ?? calls;
      const { finish_reason } = answered;
      return { text: reader.text, reasoning: thought, calls: [...given, ...reader.calls], finish_reason };
    } catch (error) {
      throw error instanceof ApiError ? new ModelFailure(error, hasBegun) : error;
    }
  }

  /** A model that does not stream, on a surface that shows pieces. */
  *#atOnce(answer: ModelAnswer): Generator<RunResult> {
    if (answer.reasoning !== '' && this.#run.settings.show_reasoning) yield reasoning(answer.reasoning);
    if (answer.text !== '') yield text(answer.text);
  }

  async #whole(model: ChosenModel, { messages, tools }: Omit<ModelRequest, 'inWords'>): Promise<Answered> {
    const { api } = this.#run.tools;
    const { model_id } = model;
    const asked = { model_id, messages, tools, extra_args: this.#extra };
    const answered = model.invokes ? await api.models.invoke(asked) : await collected(api.models.stream(asked));
    this.#run.usage.add(model_id, answered.usage);
    return answered;
  }

  get #extra(): JsonObject {
    const { temperature } = this.#run.settings;
    return temperature === null ? {} : { temperature };
  }
}

type Stream = ReturnType<TurnRun['tools']['api']['models']['stream']>;

/** The result of a stream says all of it; its pieces are only taken in. */
async function collected(stream: Stream): Promise<Answered> {
  for await (const _chunk of stream);
  return await stream.result;
}

function answerOf({ message, finish_reason }: Answered, reader: CallReader): ModelAnswer {
  reader.read(textOf(message.content));
  reader.end();
  const calls = [...(message.tool_calls ?? []), ...reader.calls];
  return { text: reader.text, reasoning: message.reasoning_content ?? '', calls, finish_reason };
}

function textOf(content: ModelMessage['content']): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
