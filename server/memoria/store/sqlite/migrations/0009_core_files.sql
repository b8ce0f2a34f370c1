-- What core files said when they were last written: no word of it, a digest of each line.
CREATE TABLE core_lines (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    file      TEXT NOT NULL CHECK (file IN ('MEMORY.md', 'USER.md', 'PERSONA.md')),
    memory_n  INTEGER NOT NULL REFERENCES memories (n) ON DELETE CASCADE,
    mark      TEXT NOT NULL,
    digest    BLOB NOT NULL,
    version_n INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, file, memory_n),
    UNIQUE (tenant_id, file, mark)
) STRICT, WITHOUT ROWID;
CREATE INDEX core_lines_by_memory ON core_lines (memory_n);

-- Of the whole file. `pending` stands from before it is written until it is.
CREATE TABLE core_files (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    file      TEXT NOT NULL,
    digest    BLOB,
    pending   BLOB,
    PRIMARY KEY (tenant_id, file)
) STRICT, WITHOUT ROWID;
