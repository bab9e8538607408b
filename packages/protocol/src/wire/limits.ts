import { capabilityLimits } from './capability-limits.ts';
import { storeLimits } from './store-limits.ts';
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Every bound of the system, once. Sizes in bytes, times in milliseconds, the rest are counts. */
export const limits = {
  ...capabilityLimits,
  ...storeLimits,
  frame_bytes: 4 * MIB,
  result_bytes: 1 * MIB,
  record_bytes: 1 * MIB,
  /** How long a process may write its sessions without a word; it renews three times within. */
  lease: 15 * SECOND,
  context_bytes: 160 * KIB,
  credit_results: 256,
  /** How long a piece of text may wait for those that follow it: thirty times a second, text flows to the eye. */
  gather: 33,
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
  /** Sessions that cannot be loaded, of which that was told. */
  failed_loads: 1000,
  /** Sessions in memory; those that rested longest leave first. */
  sessions_in_memory: 10_000,
  /** How long a session stays in memory after it came to rest. */
  session_idle: 5 * MINUTE,
  /** Runs that a turn may take: a turn that takes its host down with it must not do so for ever. */
  turn_attempts: 5,
  /** Cancelled runs of which the orchestrator has not yet said what became of them. */
  unreported_cancels: 16,
  /** Errors of agents outside any turn whose ids are remembered. */
  told_errors: 16,
  /** Messages that a session may choke on before it is read-only. */
  poisoned_messages: 3,
  sessions_loading_messages: 1000,

  run_body_bytes: 256 * KIB,
  /** A body of AG-UI holds its whole thread; what becomes of it is bounded like any run. */
  agui_body_bytes: 8 * MIB,
  agui_nodes: 50_000,
  /** Messages of a session that are known by their ids without a look into the store. */
  known_said: 64,
  /** Names of older ones that are remembered as numbers: four bytes each, and some four names a turn. */
  known_names: 65_536,
  /** What of a thread is given back at once to a client that comes back without it. */
  snapshot_messages: 1000,
  snapshot_bytes: 4 * MIB,
  tool_name_chars: 128,
  /** An event with all that it brings; what of it is data beyond the second is kept as an artifact (RP-4.14). */
  event_body_bytes: 8 * MIB,
  event_data_bytes: 64 * KIB,
  event_id_chars: 256,
  event_type_chars: 128,
  event_name_chars: 512,
  webhook_body_bytes: 1 * MIB,
  /** How far a delivery's clock may be from ours: older ones are taken for replays. */
  webhook_tolerance: 5 * MINUTE,
  /** The longest that somebody who waits for a time of the wall sleeps without a look at it: people set it, and machines suspend. */
  wall_look: 1 * MINUTE,
  access_keys: 64,
  /** Keys that were made at run time. */
  stored_keys: 1000,
  key_name_chars: 64,
  user_id_chars: 128,
  /** What a key, or a token of somebody, may do unless it is told: streams at a time, runs a minute. */
  key_streams: 20,
  key_runs_minute: 60,
  /** How long a key may have been used without that being written down. */
  key_use_delay: 1 * MINUTE,
  /** Tokens: how large, whose clock may be how far off, and how the keys that prove them are read. */
  token_bytes: 8 * KIB,
  token_skew: 30 * SECOND,
  jwks_bytes: 256 * KIB,
  jwks_fetch: 5 * SECOND,
  jwks_age: 10 * MINUTE,
  jwks_cooldown: 30 * SECOND,
  /** Users of tokens that are remembered, so that their streams end with their tokens. */
  token_users: 10_000,
  /** How long a login link can be used, and how many wait for that; how long a browser stays logged in. */
  login_link: 15 * MINUTE,
  login_links: 64,
  login: 30 * 24 * 60 * MINUTE,
  /** Rows that the refusals of one caller may make in a minute; what comes on top is not written. */
  refusal_rows: 120,
  bindings: 1024,
  schedules: 256,
  webhooks: 256,
  /** Agents that exist for the runs of a pipeline's query only. */
  lent_agents: 1024,
  run_id_chars: 128,
  /** No id that the host gives to a session, a turn or a run is longer. */
  host_id_chars: 64,
  run_messages: 200,
  run_user_text_chars: 10_000,
  agent_id_chars: 128,
  json_depth: 32,
  json_nodes: 10_000,
  header_bytes: 16 * KIB,
  header_fields: 200,
  header_timeout: 10 * SECOND,
  /** How long a body of JSON may take to come, and how long nothing may come of a file. */
  body_timeout: 30 * SECOND,
  /** How long a whole request may take to come: files come by slow lines, too. */
  request_timeout: 10 * MINUTE,
  /** How long the rest of a refused body is discarded, so that its sender can read the refusal. */
  linger: 1 * SECOND,
  sse_buffer_bytes: 256 * KIB,
  sse_ping: 12 * SECOND,
  /** How long a reader of a stream or a file may take nothing before it is cut. */
  sse_stall: 30 * SECOND,
  sse_streams: 2000,
  /** Files that are read by signed urls at the same time. */
  downloads: 256,
  /** How long a run whose client went away goes on before it is cancelled. */
  disconnect_grace: 15 * SECOND,
  disconnect_grace_max: 24 * 60 * MINUTE,
  /** How long a request may wait for the end of a run. */
  run_wait: 60 * SECOND,
  /** Of one websocket: what it may say at once, how much of that may wait, how many sessions it follows. */
  socket_message_bytes: 256 * KIB,
  socket_waiting: 64,
  socket_subscriptions: 100,
  cancel_wait: 60 * SECOND,
  /** How long the creation of a session waits for its agents; it is there in any case. */
  session_open_wait: 5 * SECOND,
  title_chars: 200,
  /** How much of the first message is a title, of the last one is shown in a list, and of what was found around a word. */
  title_cut_chars: 80,
  last_message_chars: 160,
  snippet_chars: 200,

  runner_start: 20 * SECOND,
  /** How long a start waits for configured runners to say what they offer; who is later joins later. */
  discovery_wait: 5 * SECOND,
  runner_alive: 10 * SECOND,
  /** How long what a runner leaves behind (its last runs, its open pipes) is waited for. */
  runner_stop: 2 * SECOND,
  runner_runs: 32,
  runner_waiting: 1000,
  /** What many runs are told alike and a connection keeps, and how large each may be; larger ones are told every time. */
  context_parts: 32,
  context_part_bytes: 256 * KIB,
  runners_per_package: 64,
  /** A runner package whose processes die this often within the window is quarantined; each time twice as long. */
  runner_crashes: 5,
  runner_crashes_window: 60 * SECOND,
  runner_quarantine: 60 * SECOND,
  runner_quarantine_max: 10 * MINUTE,
  /** How often a process is asked whether its event loop turns, and how long it may take to answer. */
  runner_ping: 30 * SECOND,
  runner_pong: 30 * SECOND,
  /** A process of one session that has had no run for so long is stopped. */
  runner_idle: 5 * MINUTE,
  runner_processes: 64,
  runner_file_bytes: 64 * KIB,
  runner_name_chars: 128,
  manifest_bytes: 64 * KIB,
  /** What a process at level `strict` may use. */
  strict_pids: 64,
  strict_memory_bytes: 512 * MIB,
  strict_file_bytes: 1024 * MIB,
  strict_open_files: 1024,
  strict_sample: 500,
  /** Lines of a runner's own output that are logged per second; the rest is counted. */
  runner_log_lines: 50,
  /** Last lines of each runner that are kept in memory for whoever asks, and how many runners have such. */
  runner_lines: 500,
  runner_lines_runners: 256,
  /** Ids that are remembered: of messages that the orchestrator took, and of runs that are over. */
  seen_messages: 16_384,
  ended_runs: 1024,
  failure_message_chars: 2 * KIB,
  /** How long a runner that nobody waits for may take to stop before it is forced. */
  runner_grace: 2 * SECOND,
  /** How soon a process answers whose event loop turns: what decides whether a forced cancel drains or kills it. */
  cancel_ping: 1 * SECOND,
  /** Process groups that one run may have registered at once. */
  run_children: 64,
  /** Earlier messages that are inlined when a runner and its agent ask for them and name no number; and at most. */
  bootstrap_items: 20,
  bootstrap_items_max: 200,
  bootstrap_bytes: 32 * KIB,
  bootstrap_bytes_max: 256 * KIB,
  locale_chars: 64,
  state_key_bytes: 128,
  state_value_bytes: 256 * KIB,
  /** What `ctx.state` holds of each scope; the oldest keys are left out. */
  state_inline_bytes: 64 * KIB,
  /** Scopes of state that are remembered to be empty, so that nobody looks again. */
  empty_scopes: 10_000,
  /** Larger objects are files of their own. */
  storage_inline_bytes: 64 * KIB,
  artifact_bytes: 20 * MIB,
  /** What of an image's header says how large it is; from what number of pixels on it is a bomb. */
  image_header_bytes: 1 * MIB,
  image_pixels: 100_000_000,
  /** What stands around the file of an upload: the headers of a part, and the parts that are no file. */
  upload_headers_bytes: 8 * KIB,
  upload_parts: 16,
  upload_field_bytes: 8 * KIB,
  /** Uploads of one user at the same time, and the bytes of those that no message has named yet. */
  user_uploads: 16,
  user_unclaimed_bytes: 512 * MIB,
  /** How long an upload is kept that no message names, and how long a signed url is good. */
  attachment_unclaimed: 24 * 60 * MINUTE,
  attachment_url: 15 * MINUTE,
  /** Bytes that a result may carry itself; larger ones are uploaded first. */
  artifact_inline_bytes: 512 * KIB,
  artifact_name_bytes: 255,
  artifact_metadata_bytes: 16 * KIB,
  run_artifacts: 100,
  /** Questions, handovers and actions of platforms that one run may request by results. */
  run_actions: 1_000,
  /** Uploads that one run may have under way, and the bytes of all uploads together. */
  run_uploads: 8,
  uploads_bytes: 512 * MIB,
  /** A file that no row names is left alone this long: its row may be on its way. */
  orphan_age: 60 * MINUTE,
  interaction_bytes: 256 * KIB,
  state_keys: 1000,
  storage_key_chars: 512,
  storage_object_bytes: 10 * MIB,
  /** Bytes that cross in one proxied call; what is larger travels in pieces. */
  piece_bytes: 1 * MIB,
  piece_bytes_default: 64 * KIB,
  /** One piece of an answer that streams bytes. */
  stream_piece_bytes: 256 * KIB,
  page_items: 100,
  page_items_default: 50,
  /** What one page may weigh; it ends there, however many rows it might have had. One row always fits. */
  page_bytes: 1 * MIB,
  /** Messages that are read at once for an answer that holds them all: what other reads wait for. */
  shown_items: 1000,
  search_top_k: 50,
  /** How long one search may take. */
  search: 2 * SECOND,
  /** Data or input of an event that is larger is left out of what is told of it. */
  event_inline_bytes: 32 * KIB,
  query_chars: 1 * KIB,
  rerank_documents: 64,
  rerank_chars: 8 * KIB,
  /** Of a prompt that is configured: characters of a message, and messages. */
  prompt_chars: 64 * KIB,
  prompt_messages: 50,
  /** Calls of a client's tools that one question asks for, and how long others are waited for that join it. */
  client_calls: 16,
  client_call_batch: 10,
  interaction_fields: 50,
  interaction_actions: 20,
  interaction_label_chars: 500,
  /** What a person types into one field. */
  interaction_text_chars: 10_000,
  /** A compiled card: levels and number of nodes, bytes of its JSON, characters of a text. Beyond it there is none. */
  ui_depth: 8,
  ui_nodes: 200,
  ui_bytes: 64 * KIB,
  ui_text_chars: 20_000,
  ui_label_chars: 500,
  ui_name_chars: 128,
  ui_url_chars: 2 * KIB,
  ui_items: 100,
  ui_columns: 20,
  ui_rows: 100,
  /** How long one proxied call is waited for; a run's own deadline may be nearer. */
  api_call: 30 * SECOND,
  api_call_model: 120 * SECOND,
  api_stream_chunks: 10_000,
  /** Proxied calls of one run per second, and the bytes of all of them and their answers. */
  run_calls_second: 50,
  run_call_bytes: 32 * MIB,
  /** A run that asks so often for what it was not granted is failed; a package with so many of them is quarantined. */
  run_refusals: 20,
  refused_runs: 20,
  /** Calls beyond its rate that may be refused to a run for any other reason, or to a package for runs that are over. */
  refused_calls: 1000,
  refused_runs_window: 60 * SECOND,
  /** Rows of the audit that are written together, how long one waits for others, and how many wait for the store. */
  audit_batch: 100,
  audit_delay: 1 * SECOND,
  audit_queue: 10_000,
  audit_text_chars: 256,
  /** What runs received, on its way to the store: how many at once, and how many wait. */
  dossier_batch: 128,
  dossier_queue: 4000,
  /** Rows of the ledger that one step of a report looks at, and how many days it covers. */
  usage_rows: 2000,
  usage_days: 400,
  setting_changes: 100,
  /** Between two attempts of a remote runner to reach its host. */
  redial_min: 500,
  redial_max: 30 * SECOND,
  /** Between two attempts of a client to follow a stream that was cut; a stream without even a ping so long is cut. */
  reconnect_min: 100,
  reconnect_max: 10 * SECOND,
  stream_silence: 36 * SECOND,
  /** How often a client sends a run that was not answered: the same run again is the same task. */
  submit_attempts: 4,
  /** How long `rostra reload` waits for the host's word. */
  reload_wait: 30 * SECOND,
  config_bytes: 1 * MIB,
  config_nodes: 50_000,
  secret_file_bytes: 64 * KIB,
  log_line_chars: 2 * KIB,
  /** Lines of the log that wait for a disk or a terminal; what comes on top is dropped. */
  log_buffer_bytes: 8 * MIB,
  /** How often the event loop is looked at, and from what delay on that is told. */
  loop_look: 250,
  loop_blocked: 250,
  /** As long as a timer can be set for, 24 days: a longer one would be due at once. */
  timer: 2 ** 31 - 1,
  /** How often the host's clock is held against the wall's, and how far behind it may be. */
  clock_look: 1 * SECOND,
  clock_behind: 1 * SECOND,
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
