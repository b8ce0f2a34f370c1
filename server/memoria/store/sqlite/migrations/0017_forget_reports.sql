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
    state       TEXT NOT NULL CHECK (state IN ('hidden', 'erased')),
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
