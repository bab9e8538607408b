import type { Principal } from '../../session/session-gateway.ts';

/** Who may have streams, and how many. */
export interface StreamAccess {
  /** Takes one of the streams that the caller's credential has; throws the refusal. Returns how to give it back. */
  open(principal: Principal): () => void;
  /** Whether a credential still proves anything. */
  isValid(credential: string): boolean;
  /** Hears of a credential that proves nothing any more. */
  watch(listener: (credential: string) => void): void;
}

/** Everybody, as many as the node has. */
export const openAccess: StreamAccess = {
  open: () => () => undefined,
  isValid: () => true,
  watch: () => undefined,
};
