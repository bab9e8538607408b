import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import { JsonText } from '@rostra/transport/json-text';
import type { Peer } from '@rostra/transport/peer';
import type { AgentTexts } from './context-text.ts';

/**
 * What one connection was told of agents, so that their runs need only name it (RP-4.41). There are a few places; when
 * all are taken, the part that was sent first gives its own away.
 */
export class SentParts {
  readonly #peer: Pick<Peer, 'notify'>;
  readonly #places = new Map<AgentTexts, number>();

  constructor(peer: Pick<Peer, 'notify'>) {
    this.#peer = peer;
  }

  /** Where the other side keeps it, told now if it was not before; null if it cannot be told for itself. */
  placeOf(texts: AgentTexts): number | null {
    return this.#places.get(texts) ?? this.#send(texts);
  }

  #send(texts: AgentTexts): number | null {
    if (Buffer.byteLength(texts.part) > limits.context_part_bytes) return null;
    const [oldest] = this.#places;
    const isFull = this.#places.size >= limits.context_parts;
    const place = isFull && oldest !== undefined ? oldest[1] : this.#places.size;
    const method: WireMethod = 'CONTEXT_PART';
    try {
      this.#peer.notify(method, new JsonText(`{"part":${place},"context":${texts.part}}`));
    } catch (error) {
      // The runner does not read; what becomes of its run is told by the request that follows.
      if (error instanceof ApiError) return null;
      throw error;
    }
    if (isFull && oldest !== undefined) this.#places.delete(oldest[0]);
    this.#places.set(texts, place);
    return place;
  }
}
