-- Tokens by which somebody reaches a tenant's memory over HTTP. Of a secret only its digest is kept.
CREATE TABLE tokens (
    n             INTEGER PRIMARY KEY,
    tenant_id     INTEGER NOT NULL REFERENCES tenants (id),
    id            TEXT NOT NULL,
    digest        BLOB NOT NULL,
    label         TEXT NOT NULL,
    access        TEXT NOT NULL CHECK (access IN ('read', 'write', 'forget', 'admin')),
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER,
    revoked_at    INTEGER,
    last_used_day TEXT,
    UNIQUE (tenant_id, id)
) STRICT;
