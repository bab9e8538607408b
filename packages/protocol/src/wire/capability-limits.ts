import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Bounds of models, tools and knowledge: part of `limits`. */
export const capabilityLimits = {
  /** How long a start looks for a model: on this machine, and at a server that was named. */
  detect_loopback: 1 * SECOND,
  detect_server: 2 * SECOND,
  /** Pieces of one document that can be found, and what of them, with their vectors, is written at a time. */
  document_chunks: 65_536,
  knowledge_step_chunks: 32,
  knowledge_step_bytes: 64 * KIB,
  /** How many chunks words and vectors each lead to, of which the best are given; how long looking for them may take. */
  knowledge_matches: 50,
  knowledge_search: 5 * SECOND,
  /** How long a search waits for a model that makes it better, before it does without. */
  knowledge_model: 10 * SECOND,
  /** So many vectors are all compared; of more, as many as look alike at first sight. */
  knowledge_vectors_whole: 4000,
  knowledge_vectors_alike: 1000,
  /** Knowledge: how many bases and documents there are, and what is kept with a document. */
  knowledge_bases: 256,
  base_documents: 10_000,
  base_name_chars: 200,
  base_description_chars: 2 * KIB,
  document_metadata_bytes: 4 * KIB,
  document_metadata_keys: 32,
  /** What of a document is read: pages, characters, bytes of what is packed in it and how often it is packed. */
  document_pages: 5000,
  document_text_chars: 20_000_000,
  document_unpacked_bytes: 256 * MIB,
  document_unpacked_ratio: 100,
  document_entries: 1000,
  /** How long the reading of one document may take, and the memory of the thread that does it, in MiB. */
  document_read: 60 * SECOND,
  document_memory_mib: 768,
  /** A piece of a document that can be found, and how much of it the next one repeats. */
  chunk_text_chars: 1200,
  chunk_overlap_chars: 150,
  /** What one step of indexing a document takes. */
  document_step_chunks: 100,
  document_step_bytes: 256 * KIB,
  /** Models and tool servers that are made at run time, and how long a model is tried. */
  stored_models: 256,
  stored_tool_servers: 64,
  model_trial: 30 * SECOND,
  /** What a tool gives back that is larger becomes an artifact, of which a run is told so much at once. */
  tool_result_bytes: 256 * KIB,
  tool_preview_chars: 2 * KIB,
  /** Files that one call of a tool may give back. */
  tool_files: 32,
  /** Tools of one server, and the pages that it lists them on. */
  tool_server_tools: 128,
  tool_server_pages: 32,
  /** What of a tool stands in a context: a longer description is cut, a tool with a larger schema is left out. */
  tool_description_chars: 4 * KIB,
  tool_schema_bytes: 32 * KIB,
  /** One message of a tool server: the largest file fits, as text of base 64. */
  tool_message_bytes: 28 * MIB,
  tool_message_nodes: 200_000,
  tool_message_depth: 64,
  /** Lines of a tool server that are no messages, until it is taken for something else. */
  tool_server_noise: 1000,
  /** Notifications and requests of a tool server in one second. */
  tool_server_notices: 1000,
  /** How long a tool server may take to say what it has; some are downloaded by their first start. */
  tool_server_start: 60 * SECOND,
  /** Between two attempts to reach a tool server; after so many in vain its tools are no longer offered. */
  tool_server_retry_min: 1 * SECOND,
  tool_server_retry_max: 5 * MINUTE,
  tool_server_attempts: 3,
  /** Between two looks at what a server has, however often it says that this changed. */
  tool_list_pause: 1 * SECOND,
  /** Connections of single runs to one server. */
  tool_server_runs: 64,
  /** Reading a page: how long, how much of it, and how often it may send its reader elsewhere. */
  fetch: 10 * SECOND,
  fetch_bytes: 2 * MIB,
  fetch_redirects: 3,
  fetch_url_chars: 2 * KIB,
  /** Making a text of a page: how long that may take, and the memory of the thread that does it, in MiB. */
  page_text: 5 * SECOND,
  page_text_memory_mib: 256,
  page_text_threads: 2,
  /** Of calls to models: the first pause before a repetition, the longest, and what a counter of tokens may take. */
  model_backoff: 500,
  model_backoff_max: 30 * SECOND,
  model_count: 5 * SECOND,
  /** What of a provider's own words is passed on. */
  model_words_chars: 300,
  /** What a provider answers to one call, as it comes over the network. */
  model_answer_bytes: 128 * MIB,
  /** Files that go to a model within one call, and how much of one that is text. */
  model_file_bytes: 20 * MIB,
  model_file_chars: 256 * KIB,
  /** Thoughts of models before calls of tools that are remembered, of all runs together. */
  model_thoughts: 1000,
  /** Texts that are made into vectors by one request. */
  embed_batch: 64,
  /** Letters of a text that are counted exactly; the rest is taken to be like them. */
  count_chars: 256 * KIB,
  /** Letters that are counted at once. */
  count_piece_chars: 512,
  /** How long the thread that counts is kept when nobody counts. */
  counter_idle: 1 * MINUTE,
} as const;
