-- From when until when nothing of a workspace's sessions is kept, by when it was said; one without
-- a workspace is for what is said in no project. Those that are over stay: what was said in them
-- must not come in by a later import either.
CREATE TABLE private_times (
    n           INTEGER PRIMARY KEY,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    workspace_n INTEGER REFERENCES workspaces (n),
    began_at    INTEGER NOT NULL,
    ended_at    INTEGER
) STRICT;
CREATE INDEX private_times_of_workspace ON private_times (tenant_id, workspace_n);

-- How many a tenant has: whoever has none pays nothing for them.
ALTER TABLE tenants ADD COLUMN private_times INTEGER NOT NULL DEFAULT 0;

-- A table of a first draft of 0003, in homes that were made with it.
DROP TABLE IF EXISTS reviews;
