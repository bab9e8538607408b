/**
 * Documents and what of them can be found. `knowledge_pass` are the passes over documents, numbered within their base; a
 * document's `generation` is the one whose chunks are found. Chunks, their words, sketches and vectors are named alike
 * (see `chunk-key.ts`), so that a base is one stretch of each, and a pass a stretch of that. A base that was deleted has
 * no `kb_id` any more; it and what is `dropped` is removed step by step.
 */
export const knowledge = `
CREATE TABLE knowledge_base (
  key INTEGER PRIMARY KEY,
  kb_id TEXT UNIQUE,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  embedding_model TEXT,
  passes INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE knowledge_document (
  key INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL UNIQUE,
  base INTEGER NOT NULL REFERENCES knowledge_base (key),
  name TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  artifact_id TEXT NOT NULL,
  metadata TEXT NOT NULL,
  status TEXT NOT NULL,
  problem TEXT,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX knowledge_document_base ON knowledge_document (base);
CREATE INDEX knowledge_document_artifact ON knowledge_document (artifact_id);
CREATE INDEX knowledge_document_unfinished ON knowledge_document (status) WHERE status IN ('waiting', 'indexing');
CREATE UNIQUE INDEX knowledge_document_found ON knowledge_document (base, generation) WHERE generation > 0;

CREATE TABLE knowledge_pass (
  base INTEGER NOT NULL REFERENCES knowledge_base (key),
  pass INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  embedding_model TEXT,
  chunks INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (base, pass)
) STRICT, WITHOUT ROWID;
CREATE INDEX knowledge_pass_document ON knowledge_pass (document_id);
CREATE INDEX knowledge_pass_dropped ON knowledge_pass (dropped) WHERE dropped = 1;

CREATE TABLE knowledge_chunk (
  key INTEGER PRIMARY KEY,
  page INTEGER,
  heading TEXT,
  content TEXT NOT NULL
) STRICT;
CREATE TABLE knowledge_sketch (key INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;
CREATE TABLE knowledge_vector (key INTEGER PRIMARY KEY, embedding BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE knowledge_words USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize='ascii');
`;
