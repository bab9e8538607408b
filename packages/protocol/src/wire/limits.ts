const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Every bound of the system, once. Sizes in bytes, times in milliseconds, the rest are counts. */
export const limits = {
  frame_bytes: 4 * MIB,
  result_bytes: 1 * MIB,
  record_bytes: 1 * MIB,
  segment_bytes: 256 * KIB,
  commit_records: 2000,
  commit_bytes: 1 * MIB,
  /** A saved context is at most this many records behind: what loading a session may have to fold. */
  fold_records: 1000,
  tail_bytes: 256 * KIB,
  checkpoint_idle: 200,
  checkpoint_bytes: 64 * MIB,
  store_busy: 5 * SECOND,
  writer_heads: 10_000,
  context_bytes: 160 * KIB,
  credit_results: 256,
  credit_bytes: 256 * KIB,
  /** A runner that ignores its credit is failed at this many times the window. */
  overrun_factor: 4,
  /** Requests of the other side that are being answered at the same time. */
  peer_requests: 128,
  /** Lines that wait for a peer which does not read. */
  peer_queue_bytes: 8 * MIB,
  /** One write to a peer; what is queued behind it can still be overtaken by a control line. */
  peer_write_bytes: 256 * KIB,

  roster: 32,
  queue: 16,
  steering: 100,
  transactions: 16,
  interactions: 16,
  handover_depth: 8,
  handover_text_bytes: 2 * KIB,
  remove_attempts: 3,
  expired_invites: 16,
  collected_output_chars: 4 * KIB,
  turn_bytes: 16 * MIB,
  turn_chunks: 100_000,
  /** Pieces that follow each other in one line are one chunk up to here. */
  chunk_chars: 16 * KIB,
  mailbox: 10_000,
  known_ids: 1024,
  recent_turns: 10_000,
  sessions_loading_messages: 1000,

  run_body_bytes: 256 * KIB,
  run_id_chars: 128,
  run_messages: 200,
  run_user_text_chars: 10_000,
  agent_id_chars: 128,
  json_depth: 32,
  json_nodes: 10_000,
  header_bytes: 16 * KIB,
  header_timeout: 10 * SECOND,
  body_timeout: 30 * SECOND,
  /** How long the rest of a refused body is discarded, so that its sender can read the refusal. */
  linger: 1 * SECOND,
  sse_buffer_bytes: 256 * KIB,
  sse_ping: 12 * SECOND,
  sse_stall: 30 * SECOND,
  sse_streams: 2000,
  cancel_wait: 60 * SECOND,

  runner_start: 20 * SECOND,
  runner_alive: 10 * SECOND,
  /** How long what a runner leaves behind (its last runs, its open pipes) is waited for. */
  runner_stop: 2 * SECOND,
  runner_runs: 32,
  runner_waiting: 1000,
  runners_per_package: 64,
  /** A runner process that dies is started again at most this often within the window. */
  runner_starts: 5,
  runner_starts_window: 60 * SECOND,
  /** Lines of a runner's own output that are logged per second; the rest is counted. */
  runner_log_lines: 50,
  /** Ids that are remembered: of messages that the orchestrator took, and of runs that are over. */
  seen_messages: 16_384,
  ended_runs: 1024,
  failure_message_chars: 2 * KIB,
  state_key_bytes: 128,
  state_value_bytes: 256 * KIB,
  log_line_chars: 2 * KIB,
  drain: 25 * SECOND,
} as const;

/** Default deadlines of a session (SR-TO). All configurable; a session keeps those it was created with. */
export const timeouts = {
  ack: 30 * SECOND,
  cancel: 5 * SECOND,
  idle: 60 * SECOND,
  turn: 30 * MINUTE,
  add: 30 * SECOND,
  remove: 30 * SECOND,
  open: 30 * SECOND,
  close: 30 * SECOND,
  handover: 5 * MINUTE,
  queue: 5 * MINUTE,
  interaction: 30 * MINUTE,
  interaction_max: 24 * 60 * MINUTE,
} as const;
