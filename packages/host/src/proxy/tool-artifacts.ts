import { artifactName } from '@rostra/kernel/artifact/artifact-name';
import type { ArtifactRef } from '@rostra/protocol/session/input';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ToolFile } from '../capabilities/tools/tool-source.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import { SNIFFED_BYTES, storedMimeType } from '../store/artifacts/mime-sniff.ts';
import type { ArtifactRow, ArtifactStore } from '../store/ports/artifact.ts';
import { toApiError } from '../store/refused.ts';

export interface ToolArtifactsOptions {
  readonly artifacts: Pick<ArtifactStore, 'create' | 'delete'>;
  readonly clock: { now(): number };
  /** A new id; it tells nothing about what it names. */
  readonly newId: () => string;
}

/** Keeps what tools gave back to runs as artifacts of the conversation: there a run can read it again. */
export class ToolArtifacts {
  readonly #options: ToolArtifactsOptions;
  readonly #made = new WeakMap<ActiveRun, number>();

  constructor(options: ToolArtifactsOptions) {
    this.#options = options;
  }

  /** All of them or none. `metadata` says where they are from. */
  async keep(run: ActiveRun, files: readonly ToolFile[], metadata: JsonObject): Promise<ArtifactRef[]> {
    const count = (this.#made.get(run) ?? 0) + files.length;
    if (count > limits.run_artifacts) throw tooMany();
    this.#made.set(run, count);
    const kept: ArtifactRow[] = [];
    try {
      for (const file of files) kept.push(await this.#create(run, file, metadata));
      run.signal.throwIfAborted();
    } catch (error) {
      // Nobody will ever hear of them.
      for (const { artifact_id } of kept) await this.#options.artifacts.delete(artifact_id);
      throw error;
    }
    return kept.map(refOf);
  }

  #create(run: ActiveRun, { name, mime_type, bytes }: ToolFile, metadata: JsonObject): Promise<ArtifactRow> {
    const { artifacts, clock, newId } = this.#options;
    const { workspace_id, bot_id, conversation_id, thread_id } = run.charter.grant.scope;
    const head = Buffer.from(bytes.subarray(0, SNIFFED_BYTES));
    const row = {
      artifact_id: newId(),
      workspace_id,
      session_id: conversation_id,
      bot_id,
      thread_id,
      run_id: run.run_id,
      agent_id: run.agent_id,
      name: artifactName(name),
      mime_type: storedMimeType(head, mime_type),
      created_at: clock.now(),
      expires_at: null,
      metadata,
    };
    return artifacts.create(row, bytes);
  }
}

function refOf({ artifact_id, name, mime_type, size_bytes, sha256 }: ArtifactRow): ArtifactRef {
  return { artifact_id, name, mime_type, size_bytes, sha256 };
}

function tooMany() {
  return toApiError({
    code: 'rate_limited',
    reason: 'TOO_MANY_ARTIFACTS',
    message: `The tools of a run make at most ${limits.run_artifacts} artifacts.`,
    retryable: false,
  });
}
