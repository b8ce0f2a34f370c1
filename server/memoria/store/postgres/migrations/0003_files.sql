-- Files of tenants: core files, daily pages, and what they were before a night, by their places.
-- Texts of a few kilobytes, which are read and replaced whole.
CREATE TABLE files (
    tenant_id  BIGINT NOT NULL REFERENCES tenants (id),
    path       TEXT COLLATE "C" NOT NULL,
    content    BYTEA NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, path)
);
CALL separate_tenants();
