-- The foundation: conversations as they were, memories with their history, what is still to do.
--
-- Times are UTC epoch milliseconds. `n` is always an integer key for joins and derived indexes,
-- `id` a UUIDv7 for the outside. Every row of a tenant carries its tenant_id.

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tenants (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- Whatever can be found is a document; its number is the rowid in every derived index. One that
-- is not current (an edited message, a corrected or archived memory) is found on request only.
-- AUTOINCREMENT, so that the number of something erased is never given to something else.
CREATE TABLE documents (
    n         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    kind      TEXT NOT NULL CHECK (kind IN ('turn', 'memory')),
    current   INTEGER NOT NULL DEFAULT 1 CHECK (current IN (0, 1))
) STRICT;

CREATE TABLE sessions (
    n                INTEGER PRIMARY KEY,
    tenant_id        INTEGER NOT NULL REFERENCES tenants (id),
    source           TEXT NOT NULL,
    session_id       TEXT NOT NULL,
    first_at         INTEGER NOT NULL,
    last_at          INTEGER NOT NULL,
    last_ingested_at INTEGER NOT NULL,
    next_index       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant_id, source, session_id)
) STRICT;
CREATE INDEX sessions_by_id ON sessions (tenant_id, session_id);

CREATE TABLE stretches (
    n           INTEGER PRIMARY KEY,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    session_n   INTEGER NOT NULL REFERENCES sessions (n),
    ordinal     INTEGER NOT NULL,
    first_index INTEGER NOT NULL,
    last_index  INTEGER NOT NULL,
    opened_at   INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    touched_at  INTEGER NOT NULL,
    closed_at   INTEGER,
    closed_by   TEXT CHECK (closed_by IN ('session_end', 'compaction', 'idle')),
    UNIQUE (session_n, ordinal),
    CHECK ((closed_at IS NULL) = (closed_by IS NULL))
) STRICT;
CREATE UNIQUE INDEX stretches_open ON stretches (session_n) WHERE closed_at IS NULL;
CREATE INDEX stretches_idle ON stretches (tenant_id, touched_at) WHERE closed_at IS NULL;

-- A text is kept once per tenant however many turns hold it, and never changes.
CREATE TABLE raw_chunks (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    hash      BLOB NOT NULL,
    codec     TEXT NOT NULL CHECK (codec IN ('plain', 'zstd')),
    size      INTEGER NOT NULL,
    data      BLOB NOT NULL,
    PRIMARY KEY (tenant_id, hash)
) STRICT;

-- A message edited in the client is a new version at the same place; the old one stays.
CREATE TABLE turns (
    n            INTEGER PRIMARY KEY REFERENCES documents (n),
    id           TEXT NOT NULL UNIQUE,
    tenant_id    INTEGER NOT NULL REFERENCES tenants (id),
    session_n    INTEGER NOT NULL REFERENCES sessions (n),
    message_id   TEXT,
    turn_index   INTEGER NOT NULL,
    version      INTEGER NOT NULL DEFAULT 1,
    role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')),
    speaker      TEXT,
    at           INTEGER NOT NULL,
    at_given     INTEGER NOT NULL CHECK (at_given IN (0, 1)),
    ingested_at  INTEGER NOT NULL,
    fingerprint  BLOB NOT NULL,
    content_hash BLOB NOT NULL,
    tool_name    TEXT,
    args_hash    BLOB,
    result_hash  BLOB,
    UNIQUE (session_n, turn_index, version)
) STRICT;
CREATE UNIQUE INDEX turns_by_message ON turns (session_n, message_id, version)
    WHERE message_id IS NOT NULL;
CREATE INDEX turns_by_fingerprint ON turns (session_n, fingerprint);
CREATE INDEX turns_by_time ON turns (tenant_id, at);

CREATE TABLE memories (
    n            INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    tenant_id    INTEGER NOT NULL REFERENCES tenants (id),
    type         TEXT NOT NULL,
    validity     TEXT NOT NULL CHECK (validity IN
                 ('active', 'superseded', 'contradicted', 'archived', 'pending_confirmation')),
    importance   REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    verified     INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1)),
    upvotes      INTEGER NOT NULL DEFAULT 0,
    downvotes    INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX memories_by_tenant ON memories (tenant_id, validity);

-- One row a wording. Only the newest has no end to its window.
CREATE TABLE memory_versions (
    n           INTEGER PRIMARY KEY REFERENCES documents (n),
    memory_n    INTEGER NOT NULL REFERENCES memories (n),
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    version     INTEGER NOT NULL,
    content     TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    valid_from  INTEGER NOT NULL,
    valid_to    INTEGER,
    ingested_at INTEGER NOT NULL,
    source_kind TEXT NOT NULL,
    trust       TEXT NOT NULL CHECK (trust IN ('user', 'reported', 'tool')),
    channel     TEXT NOT NULL,
    client      TEXT,
    turn_n      INTEGER REFERENCES turns (n),
    quote       TEXT,
    UNIQUE (memory_n, version)
) STRICT;
CREATE INDEX memory_versions_by_fingerprint ON memory_versions (tenant_id, fingerprint);

CREATE TABLE scratchpads (
    tenant_id     INTEGER NOT NULL REFERENCES tenants (id),
    session_id    TEXT NOT NULL,
    current_focus TEXT,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE completed_tasks (
    n          INTEGER PRIMARY KEY,
    tenant_id  INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    task       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    FOREIGN KEY (tenant_id, session_id) REFERENCES scratchpads (tenant_id, session_id)
) STRICT;
CREATE INDEX completed_tasks_by_session ON completed_tasks (tenant_id, session_id, n);

-- Vectors as computed: float32, tagged with the model. The vector index is built from them.
CREATE TABLE embedding_models (
    n    INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL CHECK (dims > 0)
) STRICT;

CREATE TABLE embeddings (
    model_n    INTEGER NOT NULL REFERENCES embedding_models (n),
    document_n INTEGER NOT NULL REFERENCES documents (n) ON DELETE CASCADE,
    vector     BLOB NOT NULL,
    PRIMARY KEY (model_n, document_n)
) STRICT;
CREATE INDEX embeddings_by_document ON embeddings (document_n);

-- Documents that still want a vector of the home's model.
CREATE TABLE embedding_backlog (
    document_n INTEGER PRIMARY KEY REFERENCES documents (n) ON DELETE CASCADE,
    attempts   INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    last_error TEXT
) STRICT;

-- Work that one process at a time may do. A dead owner's lease runs out.
CREATE TABLE leases (
    name       TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Append-only: who did what to which memory. Never the text itself.
CREATE TABLE audit_log (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    at        INTEGER NOT NULL,
    channel   TEXT NOT NULL,
    client    TEXT,
    action    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    detail    TEXT
) STRICT;
CREATE INDEX audit_log_by_subject ON audit_log (tenant_id, subject);
CREATE TRIGGER audit_log_keeps_rows BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_keeps_numbers BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE n = NEW.n)  -- REPLACE fires no trigger of DELETE
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_keeps_words BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Full text over finished tokens: `scope` says whose and what, `words` the text, `context` who
-- and when. The ascii tokenizer splits at spaces and leaves every other language alone.
CREATE VIRTUAL TABLE search_index USING fts5 (
    scope, words, context,
    tokenize = "ascii tokenchars '_'"
);
