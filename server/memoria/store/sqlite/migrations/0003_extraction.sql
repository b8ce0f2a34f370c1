-- What a model makes of conversations: what is to be looked at, what it cost, what came of it.

-- Every question put to a chat model, whatever came of it. Never a word of question or answer.
CREATE TABLE model_calls (
    n             INTEGER PRIMARY KEY,
    tenant_id     INTEGER NOT NULL REFERENCES tenants (id),
    at            INTEGER NOT NULL,
    purpose       TEXT NOT NULL,
    prompt        TEXT NOT NULL,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    duration_ms   INTEGER NOT NULL,
    outcome       TEXT NOT NULL,
    detail        TEXT
) STRICT;
CREATE INDEX model_calls_by_time ON model_calls (tenant_id, at);

-- Stretches of conversation that wait for the extractor. An entry names places in a session and
-- the newest turn there when it was made, so that an edited message is looked at anew. What is
-- finished stays until the night, to show that nothing was done twice.
CREATE TABLE extraction_queue (
    n           INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    kind        TEXT NOT NULL CHECK (kind IN ('extract', 'episode')),
    session_n   INTEGER NOT NULL REFERENCES sessions (n),
    first_index INTEGER NOT NULL,
    last_index  INTEGER NOT NULL,
    newest_n    INTEGER NOT NULL,
    priority    INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT 'waiting'
                CHECK (state IN ('waiting', 'done', 'dead', 'dropped')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    not_before  INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    last_error  TEXT,
    outcome     TEXT,
    UNIQUE (session_n, kind, first_index, last_index, newest_n),
    CHECK ((state = 'waiting') = (finished_at IS NULL))
) STRICT;
CREATE INDEX extraction_queue_waiting ON extraction_queue (priority, n) WHERE state = 'waiting';
CREATE INDEX extraction_queue_of_tenant ON extraction_queue (tenant_id, state);

-- The extractor has looked at it: what it says is a memory by now or is none.
ALTER TABLE documents ADD COLUMN processed INTEGER NOT NULL DEFAULT 0 CHECK (processed IN (0, 1));

-- Of whom and what a memory speaks, and until when it counts.
ALTER TABLE memories ADD COLUMN subject TEXT;
ALTER TABLE memories ADD COLUMN predicate TEXT;
ALTER TABLE memories ADD COLUMN task TEXT;
ALTER TABLE memories ADD COLUMN expires_at INTEGER;
ALTER TABLE memories ADD COLUMN use_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN last_used_at INTEGER;
ALTER TABLE memories ADD COLUMN flag TEXT;
CREATE INDEX memories_by_subject ON memories (tenant_id, subject, predicate)
    WHERE subject IS NOT NULL;

-- Who drew the conclusion, and when what it tells of happened, in the speaker's own expression too.
ALTER TABLE memory_versions ADD COLUMN inferred_by TEXT NOT NULL DEFAULT 'statement'
    CHECK (inferred_by IN ('statement', 'rules', 'model'));
ALTER TABLE memory_versions ADD COLUMN event_at INTEGER;
ALTER TABLE memory_versions ADD COLUMN event_expression TEXT;

-- The same thing said again: every turn beyond the first that a memory rests on.
CREATE TABLE memory_evidence (
    n           INTEGER PRIMARY KEY,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    memory_n    INTEGER NOT NULL REFERENCES memories (n) ON DELETE CASCADE,
    turn_n      INTEGER NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
    quote       TEXT NOT NULL,
    ingested_at INTEGER NOT NULL,
    UNIQUE (memory_n, turn_n)
) STRICT;
CREATE INDEX memory_evidence_by_turn ON memory_evidence (turn_n);
