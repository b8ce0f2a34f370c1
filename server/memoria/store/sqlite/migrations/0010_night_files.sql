-- Files for people that a night writes from rows: no word of them, a digest of what was last
-- written, and what it was written from.
CREATE TABLE night_files (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    path      TEXT NOT NULL,
    digest    TEXT NOT NULL,
    stamp     TEXT NOT NULL,
    run_n     INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX night_files_of_run ON night_files (run_n);
-- A forget takes the digests of what it found, also from the journal.
CREATE INDEX night_changes_of_file ON night_changes (key) WHERE tbl = 'night_files';
-- What was put aside in a day, and what came in.
CREATE INDEX memories_put_aside ON memories (tenant_id, updated_at) WHERE validity = 'archived';
CREATE INDEX memory_versions_by_arrival ON memory_versions (tenant_id, ingested_at);
