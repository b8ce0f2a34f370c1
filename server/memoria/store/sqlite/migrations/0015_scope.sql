-- Whether a memory is seen in every project or in its own alone is a value of its own, set when the
-- memory is written. It was concluded from the type before: what was seen where stays as it was.
ALTER TABLE memories ADD COLUMN scope TEXT NOT NULL DEFAULT 'everywhere'
    CHECK (scope IN ('everywhere', 'project'));
UPDATE memories SET scope = 'project'
WHERE workspace_n IS NOT NULL AND n IN (
    SELECT v.memory_n FROM memory_versions v JOIN documents d ON d.n = v.n
    WHERE d.workspace_n IS NOT NULL);

-- Who speaks with the role `user` under a name: a few rows where names are given at all.
CREATE INDEX turns_by_user_speaker ON turns (tenant_id, speaker, n)
WHERE role = 'user' AND speaker IS NOT NULL;

-- Core files of projects: a line may stand in a file of any place in the tenant's folder.
CREATE TABLE core_lines_15 (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    file      TEXT NOT NULL,
    memory_n  INTEGER NOT NULL REFERENCES memories (n) ON DELETE CASCADE,
    mark      TEXT NOT NULL,
    digest    BLOB NOT NULL,
    version_n INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, file, memory_n),
    UNIQUE (tenant_id, file, mark)
) STRICT, WITHOUT ROWID;
INSERT INTO core_lines_15 SELECT tenant_id, file, memory_n, mark, digest, version_n FROM core_lines;
DROP TABLE core_lines;
ALTER TABLE core_lines_15 RENAME TO core_lines;
CREATE INDEX core_lines_by_memory ON core_lines (memory_n);

-- The rules among the active memories are read in every call that shows core memory.
DROP INDEX memories_by_tenant;
CREATE INDEX memories_by_tenant ON memories (tenant_id, validity, type);

-- What contradicts something is listed for review, the newest first. Code 7 is CONTRADICTS.
CREATE INDEX edges_that_contradict ON edges (tenant_id, created_at) WHERE code = 7;
