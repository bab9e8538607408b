import { collect, tested } from './requirement.ts';

const input = 'packages/kernel/test/session/user-input.test.ts';
const output = 'packages/kernel/test/session/agent-output.test.ts';
const remove = 'packages/kernel/test/session/remove.test.ts';
const question = 'packages/kernel/test/session/question.test.ts';
const invite = 'packages/kernel/test/session/invite.test.ts';
const handover = 'packages/kernel/test/session/handover.test.ts';
const life = 'packages/kernel/test/session/open-close.test.ts';
const switching = 'packages/kernel/test/session/switch-agent.test.ts';
const recover = 'packages/kernel/test/session/recover.test.ts';
const timeouts = 'packages/kernel/test/session/timeouts.test.ts';
const limits = 'packages/kernel/test/session/limits.test.ts';
const authority = 'packages/kernel/test/session/authority.test.ts';
const totality = 'packages/kernel/test/session/totality.test.ts';
const assertions = 'packages/kernel/test/session/assertions.test.ts';
const properties = 'packages/kernel/test/session/properties.test.ts';
const invariants = 'packages/kernel/test/session/invariants.test.ts';
const contextSize = 'packages/kernel/test/session/context-size.test.ts';
const run = 'packages/kernel/test/run/run.test.ts';
const driver = 'packages/host/test/session/session-runtime.test.ts';
const store = 'packages/host/test/store/session-store.suite.ts';
const damage = 'packages/host/test/store/damaged-log.suite.ts';
const hash = 'packages/host/test/store/segment-hash.test.ts';
const events = 'packages/host/test/http/events.test.ts';
const streamHub = 'packages/host/test/http/stream-hub.test.ts';
const leases = 'packages/host/test/store/ports/lease.suite.ts';
const restart = 'test/e2e/restart.test.ts';
const fence = 'packages/host/test/session/leases.test.ts';
const resting = 'packages/host/test/session/passivation.test.ts';
const resume = 'packages/host/test/session/resume.test.ts';
const transcript = 'packages/kernel/test/projection/transcript.test.ts';
const storedLogs = 'packages/kernel/test/session/stored-logs.test.ts';
const simulation = 'test/simulation.test.ts';
const gate = 'packages/host/test/proxy/gate.test.ts';

export const sessionInvariantRequirements = collect(
  tested({
    'SR-MOD-1': [driver, 'records are numbered without gaps, and a chunk that is merely forwarded is one record'],
    'SR-MOD-2': [totality, 'is pure: the same step twice gives the same result'],
    'SR-MOD-3': [store, 'skips a fenced unit among good ones, with all that it holds'],
    'SR-MOD-4': [driver, 'nothing leaves before its unit is committed'],
    'SR-MOD-5': [
      timeouts,
      'has no effect when its message comes a millisecond early, or with a generation that is not armed',
    ],
    'SR-MOD-6': [properties, 'shifted by any constant, everything happens as before, at instants shifted by it'],
    'SR-MOD-7': [contextSize, 'at every limit at once, in Chinese, is bounded'],
    'SR-MOD-8': [assertions, 'find that a turn went back to ROUTING'],
  }),
  tested({
    'SR-INV-S1': [invariants, 'one speaker at a time: what two turns say never overlaps'],
    'SR-INV-S2': [assertions, 'the wrong agent speaks'],
    'SR-INV-S3': [assertions, 'who speaks is no member'],
    'SR-INV-S4': [assertions, 'two turns are dispatched'],
    'SR-INV-S5': [
      assertions,
      'find that a turn ended while it was being cancelled (T9), or left its interruption behind (S5)',
    ],
    'SR-INV-S6': [limits, 'with %i inputs waiting: one more is %s'],
  }),
  tested({
    'SR-INV-T1': [invariants, 'one answer to every input: TURN_ACCEPTED or ERROR, in the same step'],
    'SR-INV-T2': [invariants, 'TURN_ACCEPTED first, at most one start, at most one end, and nothing after it'],
    'SR-INV-T3': [invariants, 'every turn and every transaction ends by its own deadlines, and the session works'],
    'SR-INV-T4': [assertions, 'find that a turn went back to ROUTING'],
    'SR-INV-T5': [input, 'ignores acknowledgements and outputs that come after ROUTE_TIMEOUT'],
    'SR-INV-T6': [
      invariants,
      'never takes a turn back: target, trace and requester stay, a live turn ends with its event',
    ],
    'SR-INV-T7': [invariants, 'TURN_ACCEPTED first, at most one start, at most one end, and nothing after it'],
    'SR-INV-T8': [driver, 'the same run with the same body gets the same answer, with another body a conflict'],
    'SR-INV-T9': [timeouts, 'are all disarmed when the turn ends'],
    'SR-INV-T10': [invariants, 'get a turn only if they are in the session, and each attempt at it once'],
    'SR-INV-T12': [question, 'stays open with the expiry it had'],
    'SR-INV-T11': [invariants, 'has one deadline for everything that is waited for, each with its own generation'],
  }),
  tested({
    'SR-INV-A1': [assertions, 'an agent that leaves is active'],
    'SR-INV-A2': [invariants, 'get a turn only if they are in the session, and each attempt at it once'],
    'SR-INV-A3': [invariants, 'every change of the active agent as one switch, each beginning where the last ended'],
    'SR-INV-A4': [invariants, 'changes its roster only by a receipt or a removal, each with its event'],
    'SR-INV-A5': [remove, 'that was active makes %s active'],
    'SR-INV-A6': [input, 'is refused as not_found when the agent is not in the session'],
    'SR-INV-A7': [invariants, 'keeps its bounds and its order'],
  }),
  tested({
    'SR-INV-X1': [invite, 'is related to its receipt by tx_id and agent only'],
    'SR-INV-X2': [invariants, 'every turn and every transaction ends by its own deadlines, and the session works'],
    'SR-INV-X3': [invariants, 'are asked to remove or to close only when no turn of that agent, or none at all, lives'],
    'SR-INV-X4': [invariants, 'get one CANCEL per turn and one REQUEST_REMOVE_AGENT per attempt'],
    'SR-INV-X5': [handover, 'is aborted when %s, and frontends are told once'],
    'SR-INV-X6': [invite, 'sends an agent back once that comes after it was given up'],
    'SR-INV-X7': [handover, 'waits at CONFIRM until the asking turn is terminal, and only then switches'],
    'SR-INV-X8': [limits, 'of them: another change is %s, a cancel always finds room'],
    'SR-INV-X9': [invariants, 'no output after a cancel was accepted, and then nothing but CANCELED'],
  }),
  tested({
    'SR-INV-O1': [output, 'from %s is not forwarded'],
    'SR-INV-O2': [invariants, 'TURN_ACCEPTED first, at most one start, at most one end, and nothing after it'],
    'SR-INV-O3': [invariants, 'no output after a cancel was accepted, and then nothing but CANCELED'],
    'SR-INV-O4': [invariants, 'chunks numbered 0, 1, 2 … and brackets around every message'],
    'SR-INV-O5': [output, 'is forwarded with its payload and metadata'],
    'SR-INV-O7': [invariants, 'never speak to frontends themselves: what those get comes from the session'],
    'SR-INV-O8': [limits, 'counts whole messages and tool calls as well as chunks'],
  }),
  tested({ 'SR-INV-O6': [transcript, 'keeps what was shown of a cancelled turn, marked, and not what was withheld'] }),
  tested({
    'SR-INV-M1': [properties, 'that had an effect has none when it comes again'],
    'SR-INV-M2': [recover, 'does not hear what was sent under the earlier owner'],
    'SR-INV-M3': [switching, 'is not heard again when its echo comes back'],
    'SR-INV-M4': [
      totality,
      'no message of any kind, from anyone, about anything, makes it throw or break an invariant',
    ],
    'SR-INV-M5': [authority, 'has no effect, whoever sends it'],
  }),
  tested({
    'SR-INV-H1': [invariants, 'keeps its bounds and its order'],
    'SR-INV-H2': [life, 'takes no input while it closes or when it is closed'],
    'SR-INV-H3': [invariants, 'are asked to remove or to close only when no turn of that agent, or none at all, lives'],
    'SR-INV-H4': [life, 'that is asked for twice happens once; of a closed session it is answered at once'],
  }),
  tested({
    'SR-INV-L1': [driver, 'records are numbered without gaps, and a chunk that is merely forwarded is one record'],
    'SR-INV-L2': [hash, 'does not verify after any single change'],
    'SR-INV-L3': [
      properties,
      'stepping the log again, read back as JSON, gives the same context and the same messages',
    ],
    'SR-INV-L6': [damage, 'with %s is reported and not handed over'],
  }),
  tested({
    'SR-INV-L4': [storedLogs, 'leads to the state that it led to when it was written, and publishes the same again'],
    'SR-INV-L5': [resume, 'gives the transcript that its log gives when it is read again'],
  }),
  tested({
    'SR-INV-D1': [
      simulation,
      'no invariant breaks in 1,000 schedules, and every fault and every condition occurs in them',
    ],
    'SR-INV-D2': [restart, 'a run submitted again after the kill is the same task'],
    'SR-INV-D3': [driver, 'nothing leaves before its unit is committed'],
    'SR-INV-D4': [
      simulation,
      'no invariant breaks in 1,000 schedules, and every fault and every condition occurs in them',
    ],
    'SR-INV-C1': [store, 'fences the older of two owners from the claim on'],
    'SR-INV-C2': [driver, 'messages of the old owner have no effect'],
  }),
  tested({
    'SR-INV-C4': [leases, 'is refused to a second holder while the first one lives, to the last millisecond'],
  }),
  tested({ 'SR-INV-C3': [fence, 'publishes nothing more, and its run is told to stop at once'] }),
  tested({
    'SR-INV-R1': [run, 'exactly one end is told, whatever comes in whatever order (SR-INV-R1)'],
  }),
  tested({ 'SR-INV-R3': [output, '%s is taken while the run is active, and not after its end'] }),
  tested({
    'SR-INV-R2': [gate, 'a call succeeds exactly if run, caller, grant, scope, deadline and rate allow it'],
    'SR-INV-R4': [gate, 'is served to a live run that was granted it, with one row in the audit (SR-INV-R4)'],
  }),
  tested({
    'SR-INV-E1': [
      events,
      'loses and repeats nothing however commits, announcements, reads, cuts and resumes interleave',
    ],
    'SR-INV-E2': [streamHub, 'lose and repeat nothing, and agree, however commits'],
    'SR-INV-E3': [streamHub, 'never have more than 256 KiB and one event waiting for a reader'],
  }),
  tested({
    'SR-INV-V1': [invariants, 'every turn and every transaction ends by its own deadlines, and the session works'],
    'SR-INV-V2': [invariants, 'every turn and every transaction ends by its own deadlines, and the session works'],
    'SR-INV-V3': [invariants, 'every turn and every transaction ends by its own deadlines, and the session works'],
  }),
  tested({
    'SR-INV-V4': [
      simulation,
      'no invariant breaks in 1,000 schedules, and every fault and every condition occurs in them',
    ],
    'SR-INV-V5': [resting, 'nothing is left in the process: no session, no timer, no lease (SR-INV-V4, V5)'],
  }),
  tested({
    'SR-INV-P1': [
      properties,
      'stepping the log again, read back as JSON, gives the same context and the same messages',
    ],
    'SR-INV-P2': [properties, 'that had an effect has none when it comes again'],
    'SR-INV-P3': [properties, 'foreign, unauthorised, stale and unknown messages anywhere change nothing'],
    'SR-INV-P4': [properties, 'however their messages are mixed, each session lives as if it were alone'],
    'SR-INV-P5': [properties, 'at any point does what the lost run would have done by failing there, and nothing else'],
    'SR-INV-P6': [properties, 'shifted by any constant, everything happens as before, at instants shifted by it'],
    'SR-INV-P7': [properties, 'renamed consistently, everything happens as before under the new names'],
    'SR-INV-P8': [
      properties,
      'split or merged chunks give the same transcript, and the same text to whoever takes over',
    ],
  }),
  tested({
    'SR-TO-ack': [timeouts, "'T_ack'"],
    'SR-TO-cancel': [timeouts, "'T_cancel'"],
    'SR-TO-idle': [timeouts, "'T_idle'"],
    'SR-TO-turn': [timeouts, "'T_turn'"],
    'SR-TO-add': [timeouts, "'T_add'"],
    'SR-TO-remove': [timeouts, "'T_remove'"],
    'SR-TO-open': [timeouts, "'T_open'"],
    'SR-TO-close': [timeouts, "'T_close'"],
    'SR-TO-handover': [timeouts, "'T_handover'"],
    'SR-TO-queue': [timeouts, "'T_queue'"],
    'SR-TO-lease': [leases, 'is refused to a second holder while the first one lives, to the last millisecond'],
  }),
);
