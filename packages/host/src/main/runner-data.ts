import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { newId } from '../new-id.ts';
import type { ResultEffects } from '../orchestrator/result-effects.ts';
import type { RunVoice } from '../orchestrator/run-voice.ts';
import type { StateReader } from '../orchestrator/state-reader.ts';
import { artifactCreated } from '../proxy/effects/artifact-created.ts';
import { stateUpdated } from '../proxy/effects/state-updated.ts';
import { artifactsFamily } from '../proxy/families/artifacts.ts';
import { stateFamily } from '../proxy/families/state.ts';
import { storageFamily } from '../proxy/families/storage.ts';
import { RunStates } from '../proxy/run-states.ts';
import { Uploads } from '../proxy/uploads.ts';
import type { HostStore } from '../store/host-store.ts';

export interface RunnerDataOptions {
  readonly store: Pick<HostStore, 'artifacts' | 'state' | 'storage'>;
  readonly clock: { now(): number };
  /** The data folder: uploads lie in it until they are used. */
  readonly data: string;
  /** The largest artifact. */
  readonly artifact_bytes: number;
  readonly voice: Pick<RunVoice, 'act'>;
}

/** What runners keep with the host: state, storage and artifacts, by calls and by results. */
export function runnerData({ store, clock, data, artifact_bytes, voice }: RunnerDataOptions) {
  const { artifacts, storage } = store;
  const states = new RunStates(store.state, clock);
  const most = { artifacts: artifact_bytes, storage: limits.storage_object_bytes };
  const uploads = new Uploads({ folder: path.join(data, 'uploads'), most });
  const effects = {
    'state.updated': stateUpdated(states),
    'artifact.created': artifactCreated({ artifacts, uploads, clock, newId }),
  } satisfies ResultEffects;
  const state: StateReader = ({ grant }) => states.snapshot(grant);
  return {
    services: {
      ...stateFamily(states, voice),
      ...artifactsFamily({ artifacts, uploads, clock }),
      ...storageFamily({ storage, uploads, clock }),
    },
    effects,
    state,
  };
}
