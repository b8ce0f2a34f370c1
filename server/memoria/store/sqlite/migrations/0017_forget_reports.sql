-- Proofs of what was forgotten: how much of it left which index, and no word of it.
-- `items`, `removed` and `remaining` are numbers by name, in JSON. What is hidden waits until
-- `purge_at`; then it is erased, and its proof says so.
CREATE TABLE forget_reports (
    n           INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    at          INTEGER NOT NULL,
    by          TEXT NOT NULL,
    selected_by TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('hidden', 'erased', 'restored')),
    purge_at    INTEGER,
    purged_at   INTEGER,
    items       TEXT NOT NULL,
    removed     TEXT NOT NULL,
    remaining   TEXT NOT NULL
) STRICT;
CREATE INDEX forget_reports_of_tenant ON forget_reports (tenant_id, n);
CREATE INDEX forget_reports_hidden ON forget_reports (purge_at) WHERE state = 'hidden';

-- An HMAC of each item under the home's key, which is not in this file.
CREATE TABLE forget_digests (
    report_n INTEGER NOT NULL REFERENCES forget_reports (n) ON DELETE CASCADE,
    ordinal  INTEGER NOT NULL,
    digest   TEXT NOT NULL,
    PRIMARY KEY (report_n, ordinal)
) STRICT, WITHOUT ROWID;

-- What a forget has hidden and not erased yet: every row it changed, as it was and as it became. Nobody
-- sees it; it is put back, or erased at the time that the report tells. Backups have none of it.
CREATE TABLE hidden_changes (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    report_id TEXT NOT NULL,
    tbl       TEXT NOT NULL,
    op        TEXT NOT NULL CHECK (op IN ('insert', 'update', 'delete')),
    key       TEXT NOT NULL,
    image     TEXT NOT NULL
) STRICT;
CREATE INDEX hidden_changes_of_report ON hidden_changes (report_id, n);

-- The texts of its turns: in other tables a text may be shared, or lie in a block with others.
CREATE TABLE hidden_texts (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    report_id TEXT NOT NULL,
    text      TEXT NOT NULL
) STRICT;
CREATE INDEX hidden_texts_of_report ON hidden_texts (report_id);

-- Files from which it took lines, as they were; `left_as` is the digest of what it left, NULL where that
-- is nothing.
CREATE TABLE hidden_files (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    report_id TEXT NOT NULL,
    place     TEXT NOT NULL,
    content   BLOB NOT NULL,
    left_as   TEXT
) STRICT;
CREATE INDEX hidden_files_of_report ON hidden_files (report_id);
