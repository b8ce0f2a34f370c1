-- What counted for a whole home counts for each tenant, so that many of them share a file without
-- waiting for one another.

-- `changes` counts what indexes held in memory follow, `last_erasure` is the change after which they
-- read all of it again, `newest_document` the number that was given last.
ALTER TABLE tenants ADD COLUMN changes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE tenants ADD COLUMN last_erasure INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tenants ADD COLUMN newest_document INTEGER NOT NULL DEFAULT 0;
UPDATE tenants
SET changes = (SELECT n FROM change_sequence),
    last_erasure = (SELECT erased_at FROM change_sequence),
    newest_document = (SELECT coalesce(max(n), 0) FROM documents WHERE tenant_id = tenants.id);
DROP TABLE change_sequence;

-- Work that one process at a time may do for a tenant. A dead owner's lease runs out.
DROP TABLE leases;
CREATE TABLE leases (
    tenant_id  INTEGER NOT NULL REFERENCES tenants (id),
    name       TEXT NOT NULL,
    owner      TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;

-- Documents that still want a vector of the home's model, found by their tenant.
CREATE TABLE tenant_backlog (
    document_n INTEGER PRIMARY KEY REFERENCES documents (n) ON DELETE CASCADE,
    tenant_id  INTEGER NOT NULL REFERENCES tenants (id),
    attempts   INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    last_error TEXT
) STRICT;
INSERT INTO tenant_backlog (document_n, tenant_id, attempts, not_before, last_error)
SELECT b.document_n, d.tenant_id, b.attempts, b.not_before, b.last_error
FROM embedding_backlog b JOIN documents d ON d.n = b.document_n;
DROP TABLE embedding_backlog;
ALTER TABLE tenant_backlog RENAME TO embedding_backlog;
CREATE INDEX embedding_backlog_of_tenant ON embedding_backlog (tenant_id, document_n);
