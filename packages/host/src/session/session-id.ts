import { limits } from '@rostra/protocol/wire/limits';

/** The id that the log has for what a caller names: threads are UUIDs, whatever the case they are written in. */
export function sessionIdOf(named: string): string {
  return named.toLowerCase();
}

/** Whether the host may have given this id; what is longer is not worth a look into the store. */
export function isHostId(id: string): boolean {
  return id.length <= limits.host_id_chars;
}
