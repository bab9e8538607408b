import { collect, tested } from './requirement.ts';

const input = 'packages/kernel/test/session/user-input.test.ts';
const output = 'packages/kernel/test/session/agent-output.test.ts';
const cancel = 'packages/kernel/test/session/cancel.test.ts';
const remove = 'packages/kernel/test/session/remove.test.ts';
const invite = 'packages/kernel/test/session/invite.test.ts';
const handover = 'packages/kernel/test/session/handover.test.ts';
const life = 'packages/kernel/test/session/open-close.test.ts';
const queue = 'packages/kernel/test/session/queue.test.ts';
const steering = 'packages/kernel/test/session/steering.test.ts';
const interaction = 'packages/kernel/test/session/interaction.test.ts';
const question = 'packages/kernel/test/session/question.test.ts';
const switching = 'packages/kernel/test/session/switch-agent.test.ts';
const timeouts = 'packages/kernel/test/session/timeouts.test.ts';
const orchestrator = 'packages/host/test/orchestrator/orchestrator.test.ts';
const driver = 'packages/host/test/session/session-runtime.test.ts';
const entry = 'packages/host/test/session/session-entry.test.ts';
const tidy = 'test/tidy.test.ts';

export const sessionDecisionRequirements = collect(
  tested({
    'SR-D2': [switching, 'is not heard again when its echo comes back'],
    'SR-D3': [switching, 'affects later inputs only; the running turn keeps its agent'],
    'SR-D4': [tidy, 'the kernel has no clock, chance, waiting or world'],
    'SR-D5': [switching, 'is published to everybody, with a copy of the same id to frontends'],
    'SR-D7': [timeouts, 'are TIMER messages, so that they stand in the log like any other'],
    'SR-D8': [queue, 'waits in the queue by default, as ROUTING with waiting QUEUE'],
    'SR-D9': [queue, 'replaces the running turn where the agent wants the newest'],
    'SR-D10': [queue, 'never runs beside the first: one turn is dispatched at a time, in accept order'],
    'SR-D11': [input, 'is refused with NO_AGENT when there is neither an active nor a default agent'],
    'SR-D12': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-D13': [input, 'is accepted, dispatched and sent to the active agent in one step'],
    'SR-D14': [input, 'is announced as an EVENT, never as a CONTROL'],
    'SR-D15': [input, 'that a client repeats is not stepped a second time'],
    'SR-D16': [input, 'ignores acknowledgements and outputs that come after ROUTE_TIMEOUT'],
    'SR-D17': [input, 'starts with the acknowledgement, which frontends are always told of'],
    'SR-D18': [timeouts, 'end a silent turn at T_idle and an endless one at T_turn'],
    'SR-D20': [output, 'fails its live turn with the code and the text it gave'],
    'SR-D21': [input, 'is refused as INVALID_MENTION'],
    'SR-D22': [input, 'invites an absent agent where the session does so by itself, and waits for it'],
    'SR-D23': [input, 'keeps the agent active although it never acknowledged'],
    'SR-D24': [input, 'publishes no switch when that agent is active already'],
    'SR-D25': [input, 'switches when it is accepted, also when its turn must queue; its target stays'],
    'SR-D26': [cancel, 'works on a turn that has not said anything yet, in ROUTING too'],
    'SR-D27': [cancel, 'is the same machine for INTERRUPT; the reason is kept'],
    'SR-D28': [cancel, 'without a turn id means the dispatched turn, with one that turn only'],
    'SR-D29': [cancel, 'is forced at T_cancel, and the run is declared dead'],
    'SR-D30': [cancel, 'takes STREAM_STOPPED of the agent for its acknowledgement'],
    'SR-D31': [cancel, 'withholds what the agent still says, without losing count'],
    'SR-D32': [cancel, 'takes a %s for the acknowledgement: the turn is CANCELED'],
    'SR-D33': [cancel, 'is refused when the agent may not be interrupted; removal and close do not heed that'],
    'SR-D34': [remove, 'cancels its silent turn too, and fails what it has in the queue'],
    'SR-D35': [remove, 'makes it unroutable at once and unbinds it with the request'],
    'SR-D36': [remove, 'is tried three times within T_remove and never rolled back'],
    'SR-D37': [remove, 'that was active makes %s active'],
    'SR-D38': [invite, 'is related to its receipt by tx_id and agent only'],
    'SR-D39': [invite, 'does not change who is active, unless it says so or nobody is'],
    'SR-D41': [handover, 'is refused to a stranger, to oneself, and beside a pending one'],
    'SR-D42': [handover, 'waits at CONFIRM until the asking turn is terminal, and only then switches'],
    'SR-D43': [handover, 'gives the new agent a turn of its own, child of the asking one, with what was said'],
    'SR-D44': [handover, 'that the user rejects changes nothing, and the asking agent is told'],
    'SR-D45': [output, 'is forwarded with its payload and metadata'],
    'SR-D46': [life, 'that is open or opening is idempotent'],
    'SR-D47': [life, 'accepts input while it opens, which waits with QUEUE and runs once it is open'],
    'SR-D48': [steering, 'that was not pulled becomes an ordinary turn, in accept order'],
    'SR-D49': [interaction, 'has neither T_idle nor T_turn meanwhile, only the expiry of the question'],
    'SR-D50': [orchestrator, 'the answer to CANCEL_RUN is the acknowledgement (SR-D50)'],
    'SR-D51': [orchestrator, 'asks for a handover in the name of its agent (SR-D51)'],
    'SR-D53': [question, 'is answered by a new turn of the agent that asked, which is told what was answered'],
    'SR-D52': [driver, 'a failed commit acknowledges nothing, and the session goes on after a reload'],
  }),
  tested({
    'SR-D1': [entry, 'to everybody reaches the session once, beside a copy of its own'],
    'SR-D6': [entry, 'takes one message at a time: what a step sets off comes after it, in the order of arrival'],
    'SR-D19': [output, 'is told as an error of the session, without what only an operator may read'],
    'SR-D40': [handover, 'the owner of the last turn may, right after its end'],
  }),
);
