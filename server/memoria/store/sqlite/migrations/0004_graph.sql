-- The graph. What is erased takes its node, its edges and the names that nothing else uses along:
-- references and triggers see to it, whoever does the erasing.

-- An end of an edge: a memory, a turn or, where it is neither, an entity.
CREATE TABLE nodes (
    n         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    memory_n  INTEGER REFERENCES memories (n) ON DELETE CASCADE,
    turn_n    INTEGER REFERENCES turns (n) ON DELETE CASCADE,
    UNIQUE (tenant_id, n),
    CHECK (memory_n IS NULL OR turn_n IS NULL)
) STRICT;
CREATE UNIQUE INDEX nodes_by_memory ON nodes (memory_n) WHERE memory_n IS NOT NULL;
CREATE UNIQUE INDEX nodes_by_turn ON nodes (turn_n) WHERE turn_n IS NOT NULL;

-- `canonical_n` is the entity it is the same as: one step, never a chain.
CREATE TABLE entities (
    n           INTEGER PRIMARY KEY REFERENCES nodes (n) ON DELETE CASCADE,
    id          TEXT NOT NULL UNIQUE,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    kind        TEXT NOT NULL,
    canonical_n INTEGER REFERENCES entities (n) ON DELETE SET NULL,
    CHECK (canonical_n <> n)
) STRICT;
CREATE INDEX entities_by_canonical ON entities (canonical_n) WHERE canonical_n IS NOT NULL;

-- A name as written; `key` is its normal form, `qualifier` what tells namesakes apart.
CREATE TABLE entity_names (
    n         INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    entity_n  INTEGER NOT NULL REFERENCES entities (n) ON DELETE CASCADE,
    key       TEXT NOT NULL,
    qualifier TEXT NOT NULL,
    name      TEXT NOT NULL,
    UNIQUE (tenant_id, key, qualifier, entity_n)
) STRICT;
CREATE INDEX entity_names_by_entity ON entity_names (entity_n);

-- Which memories use a name. A name is content: it goes with the last of them.
CREATE TABLE name_uses (
    name_n INTEGER NOT NULL REFERENCES entity_names (n) ON DELETE CASCADE,
    node_n INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    PRIMARY KEY (name_n, node_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_uses_by_node ON name_uses (node_n);

-- Both ends are of the edge's own tenant. A ROLE edge has a code for each role; weight and
-- confidence are in ten-thousandths: small integers take two bytes, where a float takes eight.
-- `power` is what makes an edge stay where there are too many; a full node loses the least.
-- No index begins with the tenant: the planner would read all of a tenant's edges by it.
CREATE TABLE edges (
    tenant_id        INTEGER NOT NULL,
    src_n            INTEGER NOT NULL,
    code             INTEGER NOT NULL,
    dst_n            INTEGER NOT NULL,
    weight           INTEGER NOT NULL CHECK (weight BETWEEN 0 AND 10000),
    confidence       INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 10000),
    negated          INTEGER NOT NULL CHECK (negated IN (0, 1)),
    modality         INTEGER NOT NULL,
    by_model         INTEGER NOT NULL CHECK (by_model IN (0, 1)),
    made_at          INTEGER NOT NULL,
    power            INTEGER NOT NULL,
    turn_n           INTEGER REFERENCES turns (n) ON DELETE SET NULL,
    event_at         INTEGER,
    event_expression TEXT,
    PRIMARY KEY (src_n, code, dst_n),
    FOREIGN KEY (tenant_id, src_n) REFERENCES nodes (tenant_id, n) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, dst_n) REFERENCES nodes (tenant_id, n) ON DELETE CASCADE,
    CHECK (src_n <> dst_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_dst ON edges (dst_n, code, power);
CREATE INDEX edges_by_turn ON edges (turn_n) WHERE turn_n IS NOT NULL;

CREATE TRIGGER names_leave_with_their_last_use AFTER DELETE ON name_uses
WHEN NOT EXISTS (SELECT 1 FROM name_uses WHERE name_n = OLD.name_n)
BEGIN DELETE FROM entity_names WHERE n = OLD.name_n; END;

-- One without a name stays only while others are the same as it: it holds no word of anybody's.
CREATE TRIGGER entities_leave_with_their_last_name AFTER DELETE ON entity_names
WHEN NOT EXISTS (SELECT 1 FROM entity_names WHERE entity_n = OLD.entity_n)
 AND NOT EXISTS (SELECT 1 FROM entities WHERE canonical_n = OLD.entity_n)
BEGIN DELETE FROM nodes WHERE n = OLD.entity_n; END;
CREATE TRIGGER entities_leave_with_their_last_member AFTER DELETE ON entities
WHEN OLD.canonical_n IS NOT NULL
 AND NOT EXISTS (SELECT 1 FROM entity_names WHERE entity_n = OLD.canonical_n)
 AND NOT EXISTS (SELECT 1 FROM entities WHERE canonical_n = OLD.canonical_n)
BEGIN DELETE FROM nodes WHERE n = OLD.canonical_n; END;

-- A memory may outlive its turn; the speaker's own expression, and names that stand in the turn
-- alone, don't. Code 8 is DERIVED_FROM.
CREATE TRIGGER turns_take_their_words_along BEFORE DELETE ON turns
BEGIN
    UPDATE edges SET turn_n = NULL, event_expression = NULL WHERE turn_n = OLD.n;
    DELETE FROM name_uses
    WHERE node_n IN (SELECT e.src_n FROM nodes t
                     JOIN edges e ON e.tenant_id = t.tenant_id AND e.dst_n = t.n AND e.code = 8
                     WHERE t.turn_n = OLD.n)
      AND NOT EXISTS (SELECT 1 FROM nodes m
                      JOIN memory_versions v ON v.memory_n = m.memory_n AND v.valid_to IS NULL
                      JOIN entity_names s ON s.n = name_uses.name_n
                      WHERE m.n = name_uses.node_n AND instr(lower(v.content), lower(s.name)));
END;

-- Another wording says other things: whoever writes it links it anew. The codes are ABOUT, MENTIONS,
-- SIMILAR_TO and the roles.
CREATE TRIGGER wordings_take_their_links_along AFTER UPDATE OF valid_to ON memory_versions
WHEN OLD.valid_to IS NULL AND NEW.valid_to IS NOT NULL
BEGIN
    DELETE FROM edges
    WHERE tenant_id = NEW.tenant_id AND (code IN (2, 3, 10) OR code BETWEEN 21 AND 29)
      AND src_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
    DELETE FROM edges
    WHERE tenant_id = NEW.tenant_id AND code = 10
      AND dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
    DELETE FROM name_uses WHERE node_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
END;
