-- The night: what it was about to do, what it did, and what stood there before.

-- Where a memory stands between the passing and the lasting, and when it was last looked at.
ALTER TABLE memories ADD COLUMN tier TEXT NOT NULL DEFAULT 'short'
    CHECK (tier IN ('short', 'mid', 'long', 'core'));
ALTER TABLE memories ADD COLUMN reviewed_at INTEGER;
-- The memory it was merged into: a forget must follow it.
ALTER TABLE memories ADD COLUMN merged_into INTEGER REFERENCES memories (n) ON DELETE SET NULL;
CREATE INDEX memories_merged ON memories (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX memories_expiring ON memories (tenant_id, expires_at) WHERE expires_at IS NOT NULL;

-- One run has one moment, `at`, which it keeps however often it is resumed.
CREATE TABLE night_runs (
    n           INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    at          INTEGER NOT NULL,
    options     TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('running', 'finished', 'stopped', 'undoing', 'undone')),
    finished_at INTEGER,
    most_rows   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX night_runs_of_tenant ON night_runs (tenant_id, n);
CREATE UNIQUE INDEX night_runs_open ON night_runs (tenant_id) WHERE state IN ('running', 'undoing');

CREATE TABLE night_steps (
    run_n   INTEGER NOT NULL REFERENCES night_runs (n) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name    TEXT NOT NULL,
    state   TEXT NOT NULL CHECK (state IN ('waiting', 'planned', 'applied')),
    report  TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (run_n, ordinal)
) STRICT, WITHOUT ROWID;

-- What a step is going to do, written down before it does the first of it. Done is gone.
CREATE TABLE night_plan (
    run_n   INTEGER NOT NULL REFERENCES night_runs (n) ON DELETE CASCADE,
    step    INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    item    TEXT NOT NULL,
    PRIMARY KEY (run_n, step, ordinal)
) STRICT, WITHOUT ROWID;

-- The journal: every row that a run changed, as it was and as it became, column by column. A row
-- that a run inserted has no text in it: what it said goes with it. `memory_n` and `turn_n` say of
-- whom a row speaks, so that a forget finds it.
CREATE TABLE night_changes (
    run_n    INTEGER NOT NULL REFERENCES night_runs (n) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    step     INTEGER NOT NULL,
    tbl      TEXT NOT NULL,
    op       TEXT NOT NULL CHECK (op IN ('insert', 'update', 'delete')),
    key      TEXT NOT NULL,
    image    TEXT NOT NULL,
    memory_n INTEGER,
    turn_n   INTEGER,
    PRIMARY KEY (run_n, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX night_changes_of_memory ON night_changes (memory_n) WHERE memory_n IS NOT NULL;
CREATE INDEX night_changes_of_turn ON night_changes (turn_n) WHERE turn_n IS NOT NULL;

-- What is forgotten is forgotten here as well: a run can't bring it back.
CREATE TRIGGER memories_take_their_images_along AFTER DELETE ON memories
BEGIN UPDATE night_changes SET image = '{}' WHERE memory_n = OLD.n; END;
CREATE TRIGGER turns_take_their_images_along AFTER DELETE ON turns
BEGIN UPDATE night_changes SET image = '{}' WHERE turn_n = OLD.n; END;
