import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Bounds of the store, of what is committed to it and of what is found in it: part of `limits`. */
export const storeLimits = {
  segment_bytes: 256 * KIB,
  /** Segments of a session that wait for their rows are one row up to here: what is read for one record of them. */
  segment_joined: 32 * KIB,
  /** Short segments that are read at once. */
  segments_read: 128,
  /** Sessions that share a commit, and how many commits may be on their way to the store. */
  commit_units: 64,
  commits_under_way: 2,
  /** Sessions with something to commit that do not wait for the commit under way. */
  commit_follows: 12,
  commit_records: 2000,
  commit_bytes: 1 * MIB,
  /** Units of one commit that make a crowd: its rows wait in the journal for those of others. */
  journal_crowd: 4,
  /** Units in the journal whose rows are written at once, those beyond which it takes no more, and how long they wait. */
  journal_settled: 2048,
  journal_units: 4096,
  journal_idle: 200,
  /** Writes that are on their way into its file at once. */
  journal_flights: 2,
  /** Size at which its file is filled again from its beginning: a crowd waits then until all of it has its rows. */
  journal_bytes: 128 * MIB,
  /** A saved context is at most this many records behind: what loading a session may have to fold. */
  fold_records: 1000,
  /** The same for a session at rest: some runs, so that not every one of them pays for it. */
  rest_records: 100,
  tail_bytes: 256 * KIB,
  checkpoint_idle: 200,
  /** What the write-ahead log keeps of its file when it starts over, and by how much it then grows until the next time. */
  checkpoint_kept: 24 * MIB,
  checkpoint_bytes: 8 * MIB,
  store_busy: 5 * SECOND,
  /** Reads that the writer answers before they get a thread of their own; a start alone needs about ten. */
  store_reads_shared: 64,
  /** How long one of those may wait for the writer, twice. */
  store_read_patience: 100,
  writer_heads: 10_000,
  /** Rows that one step of a sweep removes: what a commit may have to wait for. */
  sweep_rows: 500,
  /** Sessions that one step of a sweep looks at. */
  sweep_sessions: 500,
  sweep_pause: 50,
  sweep_every: 10 * MINUTE,
  /** How much of a message can be found by its words, and how many words of a query are looked for. */
  search_chars: 16 * KIB,
  search_terms: 64,
  search_word_chars: 64,
  /** A word that so many messages have is common. To how many messages all words together lead, the rarest first. */
  search_word_rows: 5000,
  search_rows: 20_000,
  /** How many messages with a word are looked through for those of one owner. */
  search_scan_rows: 200_000,
  /** The best of them, which are compared in full. */
  search_candidates: 500,
  /** What one step of indexing takes, and how much may wait for it before one is taken after every commit. */
  index_rows: 512,
  index_chars: 128 * KIB,
  index_backlog: 20_000,
  /** How long nothing is written before it begins, and how long a message waits for that. */
  index_idle: 1 * SECOND,
  index_late: 5 * SECOND,
} as const;
