import { withinDepth } from '@rostra/kernel/run/json-depth';
import {
  AgentRunnerCapabilities,
  AgentRunnerManifest,
  ListAgentRunnersResponse,
} from '@rostra/protocol/runner/manifest';
import { type Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { PROTOCOL_VERSION } from '@rostra/protocol/wire/method';
import { quoted } from './runner-log.ts';
import { RunnerStartError } from './runner-start-error.ts';

/** What a runner package offers, and what is wrong with the rest of it. */
export interface RunnerListing {
  /** The minor version of the protocol that the package speaks. */
  minor: number;
  runners: ReadonlyMap<string, AgentRunnerManifest>;
  warnings: string[];
}

const version = /^(\d{1,6})\.(\d{1,6})(\.|$)/;

/** A newer host serves older runners of the same major; otherwise one sentence says which side to upgrade. */
function agreeOnVersion(theirs: string): number {
  const spoken = version.exec(theirs);
  const own = version.exec(PROTOCOL_VERSION);
  if (own === null) throw new Error(`${PROTOCOL_VERSION} is no version`);
  const [major, minor] = [Number(spoken?.[1] ?? -1), Number(spoken?.[2] ?? -1)];
  const [ownMajor, ownMinor] = [Number(own[1]), Number(own[2])];
  if (major === ownMajor && minor <= ownMinor) return minor;
  const behind = major > ownMajor || (major === ownMajor && minor > ownMinor) ? 'the host' : 'the runner package';
  const message = `The runner speaks protocol ${quoted(theirs.slice(0, 32))}, this host ${PROTOCOL_VERSION}: upgrade ${behind}.`;
  throw new RunnerStartError('runner.start_failed', message, false, true);
}

function nameOf(manifest: Json, index: number): string {
  const id = JsonObject.safeParse(manifest).data?.id;
  return typeof id === 'string' ? quoted(id.slice(0, 256)) : `number ${index + 1}`;
}

function unknownCapabilities(manifest: Json): string[] {
  const capabilities = JsonObject.safeParse(JsonObject.safeParse(manifest).data?.capabilities).data ?? {};
  return Object.keys(capabilities).filter((key) => !Object.hasOwn(AgentRunnerCapabilities.shape, key));
}

/** A listing that can only be an attack or a gross mistake puts the whole package aside. */
function refuse(what: string): never {
  throw new RunnerStartError('runner.quarantined', `The runner package is refused: ${what}.`, false, true);
}

function refuseBombs(answer: Json): void {
  const runners = JsonObject.safeParse(answer).data?.runners;
  if (!Array.isArray(runners)) return;
  if (runners.length > limits.runners_per_package) {
    refuse(`it lists ${runners.length} runners, and a package holds at most ${limits.runners_per_package}`);
  }
  for (const [index, entry] of runners.entries()) {
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    if (bytes > limits.manifest_bytes) {
      refuse(
        `the manifest of runner ${nameOf(entry, index)} has ${bytes} bytes, and ${limits.manifest_bytes} are allowed`,
      );
    }
  }
}

/** Reads the answer to LIST_AGENT_RUNNERS. A bad manifest is left out with a reason and hides no good one (RP-3.2). */
export function readListing(answer: Json): RunnerListing {
  const shallow = withinDepth(answer, limits.json_depth);
  if (shallow) refuseBombs(answer);
  const listed = shallow ? ListAgentRunnersResponse.safeParse(answer) : null;
  if (listed === null || !listed.success) {
    const message = 'The runner answered LIST_AGENT_RUNNERS with something that is no list of runners.';
    throw new RunnerStartError('runner.start_failed', message, false, true);
  }
  const minor = agreeOnVersion(listed.data.protocol_version);
  const runners = new Map<string, AgentRunnerManifest>();
  const warnings: string[] = [];
  for (const [index, entry] of listed.data.runners.entries()) {
    const name = nameOf(entry, index);
    const manifest = AgentRunnerManifest.safeParse(entry);
    if (!manifest.success) {
      const [issue] = manifest.error.issues;
      warnings.push(`runner ${name} is left out: ${issue?.path.join('.') || 'manifest'}: ${issue?.message}`);
      continue;
    }
    if (runners.has(manifest.data.id)) refuse(`it lists two runners with the id ${name}`);
    for (const key of unknownCapabilities(entry)) {
      warnings.push(`runner ${name} has the unknown capability ${quoted(key.slice(0, 64))}`); // RP-3.7
    }
    runners.set(manifest.data.id, manifest.data);
  }
  return { minor, runners, warnings };
}
