import { collect, tested } from './requirement.ts';

const input = 'packages/kernel/test/session/user-input.test.ts';
const output = 'packages/kernel/test/session/agent-output.test.ts';
const cancel = 'packages/kernel/test/session/cancel.test.ts';
const remove = 'packages/kernel/test/session/remove.test.ts';
const invite = 'packages/kernel/test/session/invite.test.ts';
const handover = 'packages/kernel/test/session/handover.test.ts';
const life = 'packages/kernel/test/session/open-close.test.ts';
const switching = 'packages/kernel/test/session/switch-agent.test.ts';
const limits = 'packages/kernel/test/session/limits.test.ts';
const authority = 'packages/kernel/test/session/authority.test.ts';
const totality = 'packages/kernel/test/session/totality.test.ts';
const assertions = 'packages/kernel/test/session/assertions.test.ts';
const properties = 'packages/kernel/test/session/properties.test.ts';
const invariants = 'packages/kernel/test/session/invariants.test.ts';
const message = 'packages/protocol/test/session/message.test.ts';
const entry = 'packages/host/test/session/session-entry.test.ts';
const tidy = 'test/tidy.test.ts';

export const sessionRuntimeRequirements = collect(
  tested({
    'SR-M.1': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-M.2': [output, 'is forwarded with its payload and metadata'],
    'SR-M.3': [input, 'starts with the acknowledgement'],
    'SR-M.4': [cancel, 'asks the agent to stop, tells frontends, and waits for the acknowledgement'],
    'SR-M.5': [switching, 'is published to everybody, with a copy of the same id to frontends'],
    'SR-M.6': [handover, 'asks the user first, with the request and what the agent said'],
    'SR-M.7': [remove, 'that does nothing unbinds it at once and asks the SessionManager'],
    'SR-M.8': [input, 'starts with the acknowledgement'],
    'SR-M.9': [output, 'fails its live turn with the code and the text it gave'],
    'SR-M.11': [authority, 'with the ones above make up every kind there is'],
    'SR-M.12': [authority, 'with the ones above make up every kind there is'],
    'SR-M.14': [authority, 'with the ones above make up every kind there is'],
    'SR-M.15': [message, 'makes %s as its schema accepts it'],
    'SR-M.17': [invariants, 'TURN_ACCEPTED first, at most one start, at most one end, and nothing after it'],
    'SR-M.18': [cancel, 'is forced at T_cancel, and the run is declared dead'],
    'SR-M.19': [handover, 'takes the first answer; a second one is told that nothing is pending'],
    'SR-M.20': [properties, 'reach every kind that a session can publish'],
  }),
  tested({
    'SR-M.10': [entry, 'comes by the address `session` of the bus and nowhere else'],
    'SR-M.13': [entry, 'past the session, to a frontend, is not heard'],
    'SR-M.16': [entry, 'is stamped from the connection, whatever the input says of itself'],
    'SR-M.21': [entry, 'follow the log and change nothing: a host with loggers that fail does as one without'],
  }),
  tested({
    'SR-S.1': [output, 'makes its agent the speaking one with the first chunk'],
    'SR-S.2': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-S.3': [assertions, 'find that a turn went back to ROUTING'],
    'SR-S.4': [cancel, 'asks the agent to stop, tells frontends, and waits for the acknowledgement'],
    'SR-S.5': [limits, 'keeps its last 4096 characters for a handover, and no half of one'],
    'SR-S.6': [limits, 'of them: another change is %s, a cancel always finds room'],
    'SR-S.7': [switching, 'changes who is active in the same step'],
    'SR-S.8': [switching, 'is published to everybody, with a copy of the same id to frontends'],
  }),
  tested({
    'SR-T.1': [remove, 'that speaks cancels it first and asks the SessionManager only after its turn has ended'],
    'SR-T.2': [handover, 'waits at CONFIRM until the asking turn is terminal, and only then switches'],
    'SR-T.3': [invite, 'is related to its receipt by tx_id and agent only'],
    'SR-T.4': [properties, 'from any stored context the rest of the log leads to the same end'],
    'SR-T.5': [invite, 'asks the SessionManager and registers nobody yet'],
  }),
  tested({
    'SR-A.1': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-A.2': [input, 'goes to the default agent when nobody is active'],
    'SR-A.3': [input, 'keeps the trace that the client gave and takes the turn id for one otherwise'],
    'SR-A.4': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-A.5': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-A.6': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-A.7': [input, 'is never acknowledged by the session itself'],
    'SR-A.8': [input, 'fails with ROUTE_TIMEOUT when no acknowledgement comes'],
    'SR-A.9': [input, 'starts with the acknowledgement'],
  }),
  tested({
    'SR-B.1': [input, 'is a mention by its payload alone, whatever the subtype says'],
    'SR-B.2': [input, 'is refused as not_found when the agent is not in the session'],
    'SR-B.3': [input, 'makes that agent active, publishes the switch, and is routed to it'],
    'SR-B.4': [input, 'makes that agent active, publishes the switch, and is routed to it'],
    'SR-B.5': [input, 'makes that agent active, publishes the switch, and is routed to it'],
    'SR-B.6': [input, 'keeps the agent active although it never acknowledged'],
  }),
  tested({
    'SR-C.1': [cancel, 'is the same machine for INTERRUPT; the reason is kept'],
    'SR-C.2': [cancel, 'answers NO_ACTIVE_SPEAKING when there is nothing to cancel'],
    'SR-C.3': [cancel, 'asks the agent to stop, tells frontends, and waits for the acknowledgement'],
    'SR-C.4': [cancel, 'asks the agent to stop, tells frontends, and waits for the acknowledgement'],
    'SR-C.5': [cancel, 'asks the agent to stop, tells frontends, and waits for the acknowledgement'],
    'SR-C.6': [cancel, 'takes STREAM_STOPPED of the agent for its acknowledgement'],
    'SR-C.7': [cancel, 'ends with CANCELED when the agent acknowledges'],
  }),
  tested({
    'SR-D.1': [remove, 'that does nothing unbinds it at once and asks the SessionManager'],
    'SR-D.2': [remove, 'that speaks cancels it first and asks the SessionManager only after its turn has ended'],
    'SR-D.3': [remove, 'that does nothing unbinds it at once and asks the SessionManager'],
    'SR-D.4': [remove, 'that does nothing unbinds it at once and asks the SessionManager'],
    'SR-D.5': [remove, 'that was active makes %s active'],
    'SR-D.6': [remove, 'that does nothing unbinds it at once and asks the SessionManager'],
    'SR-D.7': [remove, 'fails at T_remove when the SessionManager never answers'],
    'SR-D.8': [remove, 'ends with AGENT_REMOVED when the SessionManager is done'],
    'SR-D.9': [remove, 'is tried three times within T_remove and never rolled back'],
  }),
  tested({
    'SR-E.1': [invite, 'asks the SessionManager and registers nobody yet'],
    'SR-E.2': [invite, 'asks the SessionManager and registers nobody yet'],
    'SR-E.3': [invite, 'asks the SessionManager and registers nobody yet'],
    'SR-E.4': [invite, 'gives up at T_add'],
    'SR-E.5': [invite, 'registers the agent when it is done'],
    'SR-E.6': [invite, 'is told by ADD_AGENT_FAILED'],
  }),
  tested({
    'SR-F.1': [handover, 'asks the user first, with the request and what the agent said'],
    'SR-F.2': [handover, 'asks the user first, with the request and what the agent said'],
    'SR-F.3': [handover, 'that nobody answers within T_handover is rejected with reason timeout'],
    'SR-F.4': [handover, 'waits at CONFIRM until the asking turn is terminal, and only then switches'],
    'SR-F.5': [handover, 'gives the new agent a turn of its own, child of the asking one, with what was said'],
    'SR-F.6': [handover, 'takes HANDOVER_ACCEPTED for the acknowledgement'],
    'SR-F.7': [handover, 'that the user rejects changes nothing, and the asking agent is told'],
  }),
  tested({
    'SR-G.1': [output, 'makes its agent the speaking one with the first chunk'],
    'SR-G.2': [invariants, 'never speak to frontends themselves: what those get comes from the session'],
    'SR-G.3': [output, 'from %s is not forwarded'],
    'SR-G.4': [output, 'starts a turn that was never acknowledged'],
    'SR-G.5': [output, 'ends speaking and the turn with its final output'],
    'SR-G.6': [output, 'is forwarded with its payload and metadata'],
    'SR-G.7': [output, 'makes its agent the speaking one with the first chunk'],
  }),
  tested({
    'SR-H.1': [life, 'asks the SessionManager and is open when that answers'],
    'SR-H.2': [life, 'cancels what runs and waits for it before it asks the SessionManager'],
    'SR-H.3': [life, 'asks the SessionManager and is open when that answers'],
    'SR-H.4': [life, 'gives up at T_open'],
    'SR-H.5': [life, 'that is idle asks the SessionManager at once and is closed when that answers'],
  }),
  tested({
    'SR-I.1': [properties, 'reach every kind that a session can publish'],
    'SR-I.2': [tidy, 'packages import each other in one direction only'],
    'SR-I.3': [tidy, 'packages import each other in one direction only'],
    'SR-I.4': [invariants, 'changes its roster only by a receipt or a removal, each with its event'],
    'SR-I.6': [totality, 'a kind that nobody knows has no effect'],
    'SR-I.7': [totality, 'is pure: the same step twice gives the same result'],
    'SR-I.8': [input, 'starts with the acknowledgement'],
    'SR-I.9': [cancel, 'ends with CANCELED when the agent acknowledges'],
    'SR-I.10': [invite, 'is related to its receipt by tx_id and agent only'],
    'SR-I.11': [remove, 'ends with AGENT_REMOVED when the SessionManager is done'],
    'SR-I.12': [handover, 'takes the first answer; a second one is told that nothing is pending'],
    'SR-I.13': [life, 'an answer to another transaction has no effect'],
  }),
  tested({ 'SR-I.5': [entry, 'everything that a session does begins with a message in it'] }),
);
