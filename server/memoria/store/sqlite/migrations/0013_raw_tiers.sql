-- Texts of conversations that nobody has added to for long lie packed together, a block for some
-- fifty of them. A text is in raw_chunks or in a block, and what it says never changes.
CREATE TABLE text_blocks (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    texts     INTEGER NOT NULL,
    data      BLOB NOT NULL
) STRICT;

CREATE TABLE packed_texts (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    hash      BLOB NOT NULL,
    block_n   INTEGER NOT NULL,
    start     INTEGER NOT NULL,
    size      INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, hash)
) STRICT, WITHOUT ROWID;

-- 0: as recorded; 1: each text packed more tightly; 2: packed together.
ALTER TABLE sessions ADD COLUMN tier INTEGER NOT NULL DEFAULT 0 CHECK (tier BETWEEN 0 AND 2);
CREATE INDEX sessions_to_pack ON sessions (tenant_id, tier) WHERE tier < 2;
