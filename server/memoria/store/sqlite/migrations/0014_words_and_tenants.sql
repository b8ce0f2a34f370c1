-- The field's words for what the tables hold, and what counted for a whole home counts for each
-- tenant. Nothing is lost: rows keep their numbers, and nightly runs from before can be undone.

-- A part of a session between pauses is a segment.
DROP INDEX stretches_open;
DROP INDEX stretches_idle;
ALTER TABLE stretches RENAME TO segments;
CREATE UNIQUE INDEX segments_open ON segments (session_n) WHERE closed_at IS NULL;
CREATE INDEX segments_idle ON segments (tenant_id, touched_at) WHERE closed_at IS NULL;

-- A suppressed turn stays in the record, but nothing may be concluded from it.
ALTER TABLE documents RENAME COLUMN barred TO suppressed;

ALTER TABLE edges RENAME COLUMN made_at TO created_at;

-- What a tombstone recognises: HMACs under the home's key, which is not in this file.
DROP INDEX tombstone_marks_by_tombstone;
ALTER TABLE tombstone_marks RENAME TO tombstone_digests;
ALTER TABLE tombstone_digests RENAME COLUMN mark TO digest;
CREATE INDEX tombstone_digests_by_tombstone ON tombstone_digests (tombstone_n);

-- Edges that graph expansion does without: pruned, with the reason, until the reason is gone.
-- ('inactive': an end is not active; 'over_cap': a node has all edges that its kind may have;
-- 'redundant': nearer neighbours connect the two as well)
CREATE TABLE pruned_edges (
    tenant_id        INTEGER NOT NULL,
    src_n            INTEGER NOT NULL,
    code             INTEGER NOT NULL,
    dst_n            INTEGER NOT NULL,
    weight           INTEGER NOT NULL,
    confidence       INTEGER NOT NULL,
    negated          INTEGER NOT NULL,
    modality         INTEGER NOT NULL,
    by_model         INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    power            INTEGER NOT NULL,
    turn_n           INTEGER REFERENCES turns (n) ON DELETE SET NULL,
    event_at         INTEGER,
    event_expression TEXT,
    reason           TEXT NOT NULL CHECK (reason IN ('inactive', 'over_cap', 'redundant')),
    PRIMARY KEY (src_n, code, dst_n),
    FOREIGN KEY (tenant_id, src_n) REFERENCES nodes (tenant_id, n) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, dst_n) REFERENCES nodes (tenant_id, n) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO pruned_edges
SELECT tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model, made_at,
       power, turn_n, event_at, event_expression,
       CASE reason WHEN 'idle' THEN 'inactive' WHEN 'full' THEN 'over_cap' ELSE 'redundant' END
FROM cold_edges;
DROP TRIGGER turns_take_their_words_out_of_the_cold;
DROP TRIGGER wordings_take_their_cold_links_along;
DROP TRIGGER memories_bring_their_edges_back;
DROP TABLE cold_edges;
CREATE INDEX pruned_edges_by_dst ON pruned_edges (dst_n, code);
CREATE INDEX pruned_edges_by_turn ON pruned_edges (turn_n) WHERE turn_n IS NOT NULL;

CREATE TRIGGER turns_take_their_words_out_of_pruned_edges BEFORE DELETE ON turns
BEGIN UPDATE pruned_edges SET turn_n = NULL, event_expression = NULL WHERE turn_n = OLD.n; END;

-- As with edges: another wording says other things.
CREATE TRIGGER wordings_take_their_pruned_edges_along AFTER UPDATE OF valid_to ON memory_versions
WHEN OLD.valid_to IS NULL AND NEW.valid_to IS NOT NULL
BEGIN
    DELETE FROM pruned_edges
    WHERE tenant_id = NEW.tenant_id AND (code IN (2, 3, 10) OR code BETWEEN 21 AND 29)
      AND src_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
    DELETE FROM pruned_edges
    WHERE tenant_id = NEW.tenant_id AND code = 10
      AND dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.memory_n);
END;

-- A memory that is active again has its neighbours again, whoever restores it.
CREATE TRIGGER memories_bring_their_edges_back AFTER UPDATE OF validity ON memories
WHEN NEW.validity = 'active' AND OLD.validity <> 'active'
BEGIN
    INSERT OR IGNORE INTO edges
    SELECT tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model,
           created_at, power, turn_n, event_at, event_expression
    FROM pruned_edges
    WHERE reason = 'inactive' AND (src_n = (SELECT n FROM nodes WHERE memory_n = NEW.n)
                                OR dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.n));
    DELETE FROM pruned_edges
    WHERE reason = 'inactive' AND (src_n = (SELECT n FROM nodes WHERE memory_n = NEW.n)
                                OR dst_n = (SELECT n FROM nodes WHERE memory_n = NEW.n));
END;

-- Nightly maintenance: its runs, and the files that it writes from rows.
DROP INDEX night_runs_of_tenant;
DROP INDEX night_runs_open;
DROP INDEX night_changes_of_memory;
DROP INDEX night_changes_of_turn;
DROP INDEX night_changes_of_file;
DROP INDEX night_files_of_run;
ALTER TABLE night_runs RENAME TO nightly_runs;
ALTER TABLE night_steps RENAME TO nightly_steps;
ALTER TABLE night_plan RENAME TO nightly_plan;
ALTER TABLE night_changes RENAME TO nightly_changes;
ALTER TABLE night_metrics RENAME TO nightly_metrics;
ALTER TABLE night_files RENAME TO generated_files;
CREATE INDEX nightly_runs_of_tenant ON nightly_runs (tenant_id, n);
CREATE UNIQUE INDEX nightly_runs_open ON nightly_runs (tenant_id)
    WHERE state IN ('running', 'undoing');
CREATE INDEX nightly_changes_of_memory ON nightly_changes (memory_n) WHERE memory_n IS NOT NULL;
CREATE INDEX nightly_changes_of_turn ON nightly_changes (turn_n) WHERE turn_n IS NOT NULL;
CREATE INDEX generated_files_of_run ON generated_files (run_n);

-- The journal of runs from before speaks of tables and columns by their names, so that an undo
-- finds what it is to put back.
UPDATE nightly_changes
SET tbl = CASE tbl WHEN 'stretches' THEN 'segments' WHEN 'cold_edges' THEN 'pruned_edges'
                   ELSE 'generated_files' END
WHERE tbl IN ('stretches', 'cold_edges', 'night_files');
UPDATE nightly_changes
SET image = json_remove(json_set(image, '$.suppressed', json_extract(image, '$.barred')),
                        '$.barred')
WHERE tbl = 'documents' AND json_type(image, '$.barred') IS NOT NULL;
UPDATE nightly_changes
SET image = json_remove(json_set(image, '$.created_at', json_extract(image, '$.made_at')),
                        '$.made_at')
WHERE tbl IN ('edges', 'pruned_edges') AND json_type(image, '$.made_at') IS NOT NULL;
UPDATE nightly_changes
SET image = json_set(image, '$.reason', CASE json_extract(image, '$.reason')
                                        WHEN 'idle' THEN 'inactive' WHEN 'full' THEN 'over_cap'
                                        ELSE 'redundant' END)
WHERE tbl = 'pruned_edges' AND json_type(image, '$.reason') = 'text';
CREATE INDEX nightly_changes_of_file ON nightly_changes (key) WHERE tbl = 'generated_files';

-- Steps by their present names. A run that was not finished stays as far as it came: its plan was
-- written by another version.
UPDATE nightly_steps
SET name = CASE name WHEN 'drain' THEN 'process_queue' WHEN 'unread' THEN 'backfill'
                     WHEN 'expire' THEN 'archive_expired' WHEN 'purge' THEN 'delete_expired'
                     ELSE 'storage_tiers' END
WHERE name IN ('drain', 'unread', 'expire', 'purge', 'tiers');
UPDATE nightly_runs
SET options = replace(replace(replace(replace(replace(options, '"drain"', '"process_queue"'),
    '"unread"', '"backfill"'), '"expire"', '"archive_expired"'), '"purge"', '"delete_expired"'),
    '"tiers"', '"storage_tiers"');
UPDATE nightly_runs SET state = 'stopped', finished_at = at WHERE state = 'running';
DELETE FROM nightly_plan;

-- Many tenants share a file without waiting for one another: each has its own counters, leases and
-- backlog.

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
