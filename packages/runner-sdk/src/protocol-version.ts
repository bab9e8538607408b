import { ApiError } from '@rostra/protocol/wire/api-error';
import { PROTOCOL_VERSION } from '@rostra/protocol/wire/method';

/** Both sides must speak the same major version; the sentence says which one is behind. */
export function agreeOnVersion(hostVersion: string): void {
  const [ours, theirs] = [majorOf(PROTOCOL_VERSION), majorOf(hostVersion)];
  if (ours === theirs) return;
  const behind = theirs > ours ? 'upgrade the runner package (its @rostra/runner-sdk)' : 'upgrade the host';
  const spoken = `The host speaks runner protocol ${hostVersion.slice(0, 32)}, this runner ${PROTOCOL_VERSION}`;
  throw new ApiError('invalid_argument', `${spoken}: ${behind}.`);
}

/** Not a number for what is no version; that is older than any. */
function majorOf(version: string): number {
  const major = /^(\d{1,6})(\.|$)/.exec(version)?.[1];
  return major === undefined ? -1 : Number(major);
}
