import { type RostraClient, RostraError } from '@rostra/client';
import type { ModelItem, ModelTrial } from '@rostra/protocol/run-api/model-api';
import type { ToolServerItem } from '@rostra/protocol/run-api/tool-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import { wallClock } from '../../../capabilities/models/model-clock.ts';
import { ModelShelf } from '../../../capabilities/models/model-shelf.ts';
import { TokenThread } from '../../../capabilities/models/token-counter.ts';
import type { Configuration } from '../../configuration.ts';
import { detectModel } from '../../model-detection.ts';
import { tryModel } from '../../model-trial.ts';
import { localAgent } from '../../official-runners.ts';
import { programs } from '../../programs.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const LOOK = 'Look at `rostra models list`.';
const HOW = 'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and start anew, or run `rostra models add`.';

/** Which model of a running host answers whoever names nobody, whether it does, and how its tool servers are. */
export async function lookAtCapabilities(client: RostraClient): Promise<Finding[]> {
  try {
    const { items: models } = await client.models.list();
    const { items: servers } = await client.tools.servers();
    const troubled = models.flatMap(({ id, problem }) =>
      problem === null ? [] : [warn(`model ${id}`, problem.message, problem.hint ?? LOOK)],
    );
    return [await lookAtAnswering(client, models), ...troubled, ...servers.map(serverFinding)];
  } catch (error) {
    if (!(error instanceof RostraError)) throw error;
    return [fail('model', `The host does not say which models it has: ${error.message}`, 'Look into its log.')];
  }
}

async function lookAtAnswering(client: RostraClient, models: readonly ModelItem[]): Promise<Finding> {
  const { items } = await client.agents.list();
  const active = items.find(({ isDefault }) => isDefault);
  if (active === undefined) return warn('model', 'No agent answers here', 'Look at `rostra agents list`.');
  const { runnerId, config } = await client.agents.get(active.id);
  if (runnerId !== localAgent.runner_id) {
    return ok('model', `${active.id} answers by the runner ${runnerId}, which needs none of the host’s models`);
  }
  const model_id = modelOf(config) ?? models.find(({ kind }) => kind === 'chat')?.id;
  if (model_id === undefined) return fail('model', `${active.id} would answer and has no model`, HOW);
  if (!models.some(({ id }) => id === model_id)) {
    return fail('model', `${active.id} would answer with ${model_id}, which is not there`, LOOK);
  }
  return trialFinding(active.id, model_id, await client.models.test(model_id));
}

/** Which model a start would find; where no host runs, it is called from here. */
export async function lookAtFoundModel({ config, environment }: Configuration): Promise<Finding> {
  if (!config.detect) return ok('model', 'none is looked for: `detect` is off');
  try {
    const { found, note } = await detectModel({ env: environment });
    if (found === null) return note === null ? ok('model', `none was found. ${HOW}`) : warn('model', note, HOW);
    const { model_id, model, by } = found;
    const counter = new TokenThread({ program: programs.tokenWorker, clock: wallClock });
    const shelf = new ModelShelf({ sources: () => ({ [model_id]: model }), environment, counter });
    const shelved = shelf.find(model_id);
    if (shelved === null) throw new Error(`${model_id} was found and is not there`);
    return trialFinding('assistant', `${model_id} by ${by}`, await tryModel(shelved, wallClock));
  } catch (error) {
    if (error instanceof ApiError) return fail('model', error.message, String(error.details.hint ?? HOW));
    throw error;
  }
}

/** What the agent's own configuration names. */
function modelOf({ config }: JsonObject): string | undefined {
  const model = isJsonObject(config) ? config.model : undefined;
  return typeof model === 'string' ? model : undefined;
}

function trialFinding(agent_id: string, model: string, { ok: works, latencyMs, sentence, hint }: ModelTrial): Finding {
  if (works) return ok('model', `${agent_id} answers with ${model}; a small call took ${latencyMs} ms`);
  return fail('model', `${agent_id} would answer with ${model}: ${sentence}`, hint ?? LOOK);
}

function serverFinding({ id, state, problem, tools }: ToolServerItem): Finding {
  const what = `tools ${id}`;
  if (problem !== null) return warn(what, problem.message, problem.hint ?? 'Look at `rostra tools servers`.');
  const waiting = tools.filter((tool) => tool.state !== 'approved').length;
  if (waiting === 0) return ok(what, `${state}, ${tools.length} tools`);
  const hint = `Look at \`rostra tools list\`, then run \`rostra tools approve ${id}\`.`;
  return warn(what, `${waiting} of ${tools.length} tools are new or changed, and are not offered`, hint);
}
