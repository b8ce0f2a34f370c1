-- Workspaces inside a tenant, trust of turns, and forgetting for good.

-- A project. What names none belongs to the person and is seen from everywhere.
CREATE TABLE workspaces (
    n         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    name      TEXT NOT NULL,
    UNIQUE (tenant_id, name)
) STRICT;

ALTER TABLE sessions ADD COLUMN workspace_n INTEGER REFERENCES workspaces (n);
ALTER TABLE memories ADD COLUMN workspace_n INTEGER REFERENCES workspaces (n);
ALTER TABLE scratchpads ADD COLUMN workspace_n INTEGER REFERENCES workspaces (n);

-- Where a document is seen from: a preference of a project's session is seen from everywhere.
ALTER TABLE documents ADD COLUMN workspace_n INTEGER REFERENCES workspaces (n);
-- A barred turn stays in the record, but nothing may be concluded from it.
ALTER TABLE documents ADD COLUMN barred INTEGER NOT NULL DEFAULT 0 CHECK (barred IN (0, 1));
-- When the vector index over it last changed, as counted by change_sequence; 0 without a vector.
ALTER TABLE documents ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_by_change ON documents (tenant_id, changed) WHERE changed > 0;

-- What indexes held in memory follow: re-read what changed since, all of it after an erasure.
CREATE TABLE change_sequence (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    n         INTEGER NOT NULL,
    erased_at INTEGER NOT NULL
) STRICT;
INSERT INTO change_sequence (one, n, erased_at) VALUES (1, 1, 0);
UPDATE documents SET changed = 1 WHERE n IN (SELECT document_n FROM embeddings);

-- How far the channel vouches that a turn was said.
ALTER TABLE turns ADD COLUMN trust TEXT NOT NULL DEFAULT 'reported'
    CHECK (trust IN ('user', 'reported', 'tool'));
CREATE INDEX memory_versions_by_turn ON memory_versions (turn_n) WHERE turn_n IS NOT NULL;

-- Proof that something was forgotten, without a word of it.
CREATE TABLE tombstones (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    kind      TEXT NOT NULL CHECK (kind IN ('memory', 'turn')),
    subject   TEXT NOT NULL,
    at        INTEGER NOT NULL,
    reason    TEXT NOT NULL,
    UNIQUE (tenant_id, subject, kind)
) STRICT;

-- What a tombstone knows again: HMACs under the home's key, which is not in this file.
CREATE TABLE tombstone_marks (
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    mark        TEXT NOT NULL,
    tombstone_n INTEGER NOT NULL REFERENCES tombstones (n),
    PRIMARY KEY (tenant_id, mark, tombstone_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_marks_by_tombstone ON tombstone_marks (tombstone_n);
