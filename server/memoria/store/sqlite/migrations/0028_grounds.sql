-- What wordings of memories are bound to: the parts of a repository's files that carry them.
--
-- `parts` is a list in JSON, empty where nothing there carries the wording. A wording without a row
-- has not been looked at. All follows from the record and the repository, and goes with the wording.
CREATE TABLE grounds (
    wording_n INTEGER PRIMARY KEY REFERENCES memory_versions (n) ON DELETE CASCADE,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    parts     TEXT NOT NULL
) STRICT;
CREATE INDEX grounds_of_tenant ON grounds (tenant_id);
