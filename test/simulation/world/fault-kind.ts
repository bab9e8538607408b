/** Every kind of fault that a schedule may hold → its number in the fault model, where it has one. */
export const faultKinds = {
  'power.drops_tail': 11,
  'log.corrupt': 12,
  'manager.dies': 13,
  'frontend.vanishes': 14,
  'ack.never': 17,
  'ack.at_timeout': 18,
  'ack.late': 19,
  'agent.silent': 20,
  'agent.trickles': 21,
  'cancel.ignored': 22,
  'message.duplicated': 27,
  'message.overtakes_other': 28,
  'message.overtakes_own': 29,
  'message.lost': 30,
  'chunk.lost': 31,
  'message.stale': 32,
  'message.echo': 36,
  'race.cancel_final': 37,
  'race.cancel_ack': 38,
  'race.cancel_failure': 39,
  'race.cancel_cancel': 40,
  'race.remove_final': 41,
  'race.remove_handover_source': 42,
  'race.remove_handover_target': 43,
  'race.handover_absent': 44,
  'race.handover_answers': 45,
  'race.input_transaction': 46,
  'race.inputs': 47,
  'race.mention_speaking': 48,
  'race.invites': 49,
  'race.remove_invite': 50,
  'race.close': 51,
  'remove.fails': 52,
  'clock.jumps': 68,
  'timers.together': 76,
  'unit.multi_step': null,
  'commit.fails': null,
  'unit.fenced': null,
  'crash.process': null,
  'crash.power': null,
} as const;
export type FaultKind = keyof typeof faultKinds;

/** `37.race.cancel_final`: how a report names it. */
export function faultName(kind: FaultKind): string {
  const number = faultKinds[kind];
  return number === null ? kind : `${number}.${kind}`;
}
