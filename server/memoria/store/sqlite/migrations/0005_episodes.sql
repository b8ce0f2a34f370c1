-- Episodes: what a stretch of a session came to.

-- A stretch also closes when it overflows: `messages` counts what was said in it, tools apart.
CREATE TABLE stretches_counted (
    n           INTEGER PRIMARY KEY,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    session_n   INTEGER NOT NULL REFERENCES sessions (n),
    ordinal     INTEGER NOT NULL,
    first_index INTEGER NOT NULL,
    last_index  INTEGER NOT NULL,
    messages    INTEGER NOT NULL DEFAULT 0,
    opened_at   INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    touched_at  INTEGER NOT NULL,
    closed_at   INTEGER,
    closed_by   TEXT CHECK (closed_by IN ('session_end', 'compaction', 'idle', 'overflow')),
    UNIQUE (session_n, ordinal),
    CHECK ((closed_at IS NULL) = (closed_by IS NULL))
) STRICT;
INSERT INTO stretches_counted (n, tenant_id, session_n, ordinal, first_index, last_index, opened_at,
                               last_at, touched_at, closed_at, closed_by)
SELECT n, tenant_id, session_n, ordinal, first_index, last_index, opened_at, last_at, touched_at,
       closed_at, closed_by
FROM stretches;
DROP TABLE stretches;
ALTER TABLE stretches_counted RENAME TO stretches;
CREATE UNIQUE INDEX stretches_open ON stretches (session_n) WHERE closed_at IS NULL;
CREATE INDEX stretches_idle ON stretches (tenant_id, touched_at) WHERE closed_at IS NULL;

-- The turns that an episode sums up, which is a memory of that type.
CREATE TABLE episodes (
    memory_n    INTEGER PRIMARY KEY REFERENCES memories (n) ON DELETE CASCADE,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    session_n   INTEGER NOT NULL REFERENCES sessions (n),
    first_index INTEGER NOT NULL,
    last_index  INTEGER NOT NULL,
    UNIQUE (session_n, first_index, last_index)
) STRICT;
