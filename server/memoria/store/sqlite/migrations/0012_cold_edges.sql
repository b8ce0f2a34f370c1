-- Edges that a walk does without: set aside, with why, until the reason is gone.
-- ('idle': an end is not active; 'full': a node has all that its kind may have; 'dense': nearer
-- neighbours bind the two as well)

CREATE TABLE cold_edges (
    tenant_id        INTEGER NOT NULL,
    src_n            INTEGER NOT NULL,
    code             INTEGER NOT NULL,
    dst_n            INTEGER NOT NULL,
    weight           INTEGER NOT NULL,
    confidence       INTEGER NOT NULL,
    negated          INTEGER NOT NULL,
    modality         INTEGER NOT NULL,
    by_model         INTEGER NOT NULL,
    made_at          INTEGER NOT NULL,
    power            INTEGER NOT NULL,
    turn_n           INTEGER REFERENCES turns (n) ON DELETE SET NULL,
    event_at         INTEGER,
    event_expression TEXT,
    reason           TEXT NOT NULL CHECK (reason IN ('idle', 'full', 'dense')),
    PRIMARY KEY (src_n, code, dst_n),
    FOREIGN KEY (tenant_id, src_n) REFERENCES nodes (tenant_id, n) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, dst_n) REFERENCES nodes (tenant_id, n) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX cold_edges_by_dst ON cold_edges (dst_n, code);
CREATE INDEX cold_edges_by_turn ON cold_edges (turn_n) WHERE turn_n IS NOT NULL;

CREATE TRIGGER turns_take_their_words_out_of_the_cold BEFORE DELETE ON turns
BEGIN UPDATE cold_edges SET turn_n = NULL, event_expression = NULL WHERE turn_n = OLD.n; END;

-- As with edges: another wording says other things.
CREATE TRIGGER wordings_take_their_cold_links_along AFTER UPDATE OF valid_to ON memory_versions
WHEN OLD.valid_to IS NULL AND NEW.valid_to IS NOT NULL
BEGIN
    DELETE FROM cold_edges
    WHERE tenant_id = NEW.tenant_id AND (code IN (2, 3, 10) OR code BETWEEN 21 AND 29)
      AND src_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
    DELETE FROM cold_edges
    WHERE tenant_id = NEW.tenant_id AND code = 10
      AND dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
END;

-- A memory that counts again has its neighbours again, whoever brings it back.
CREATE TRIGGER memories_bring_their_edges_back AFTER UPDATE OF validity ON memories
WHEN NEW.validity = 'active' AND OLD.validity <> 'active'
BEGIN
    INSERT OR IGNORE INTO edges
    SELECT tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model, made_at,
           power, turn_n, event_at, event_expression
    FROM cold_edges
    WHERE reason = 'idle' AND (src_n = (SELECT n FROM nodes WHERE memory_n = NEW.n)
                            OR dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.n));
    DELETE FROM cold_edges
    WHERE reason = 'idle' AND (src_n = (SELECT n FROM nodes WHERE memory_n = NEW.n)
                            OR dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.n));
END;

-- What a night measured of the memory it left behind.
CREATE TABLE night_metrics (
    run_n    INTEGER NOT NULL REFERENCES night_runs (n) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    value    REAL NOT NULL,
    bound    REAL,
    exceeded INTEGER NOT NULL CHECK (exceeded IN (0, 1)),
    PRIMARY KEY (run_n, name)
) STRICT, WITHOUT ROWID;
