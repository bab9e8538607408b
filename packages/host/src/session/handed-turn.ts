import type { Bus } from '../bus/port.ts';

/** The turn that a handover comes to; null when it comes to nothing. */
export interface HandedTurn {
  readonly turn: Promise<string | null>;
  callOff(): void;
}

/** Listens from now on: the agent that hands over may have to be stopped first. */
export function handedTurn(bus: Pick<Bus, 'follow'>, session_id: string, tx_id: string): HandedTurn {
  let callOff: () => void = () => undefined;
  const turn = new Promise<string | null>((resolve) => {
    callOff = bus.follow(session_id, ({ records }) => {
      let isOver = false;
      for (const record of records) {
        if (record.tx_id !== tx_id || record.mark !== 'out') continue;
        if (record.subtype === 'TURN_ACCEPTED') resolve(record.turn_id ?? null);
        if (record.event === 'CONTROL' && record.subtype === 'HANDOVER_RESOLVED') {
          isOver ||= record.payload.outcome !== 'confirmed';
        }
      }
      if (isOver) resolve(null);
    });
  });
  return { turn, callOff: () => callOff() };
}
