import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { RunResume } from '@rostra/protocol/runner/run-resume';

/**
 * What an earlier attempt at this turn had already said, or null in the first attempt. Only a runner that declares
 * `resumable` is asked again; it goes on behind `said`, in the same message, and repeats none of it.
 */
export function resumed({ metadata }: AgentRunContext): RunResume | null {
  return metadata.resume === undefined ? null : RunResume.parse(metadata.resume);
}
