-- name: begin
INSERT INTO nightly_runs (id, tenant_id, at, options, state)
VALUES (:id, :tenant, :at, :options, 'running');

-- name: open_run
SELECT n, id, at, options, state, finished_at, undoable, most_rows FROM nightly_runs
WHERE tenant_id = :tenant AND state IN ('running', 'undoing');

-- name: runs
SELECT n, id, at, options, state, finished_at, undoable, most_rows FROM nightly_runs
WHERE tenant_id = :tenant AND n < :before ORDER BY n DESC LIMIT :limit;

-- name: run
SELECT n, id, at, options, state, finished_at, undoable, most_rows FROM nightly_runs
WHERE tenant_id = :tenant AND :id <> '' AND substr(id, length(id) - length(:id) + 1) = :id
ORDER BY id = :id DESC, id LIMIT 2;

-- name: set_state
-- An undo leaves the time at which the run itself was done.
UPDATE nightly_runs
SET state = :state,
    finished_at = CASE WHEN :state IN ('undoing', 'undone') THEN finished_at ELSE :now END
WHERE n = :run_n AND tenant_id = :tenant;

-- name: note_rows
UPDATE nightly_runs SET most_rows = {greatest}(most_rows, :rows) WHERE n = :run_n AND tenant_id = :tenant;

-- name: add_step
INSERT INTO nightly_steps (run_n, ordinal, name, state)
SELECT n, :ordinal, :name, 'waiting' FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant;

-- name: steps
SELECT s.report, s.name, s.state
FROM nightly_steps s JOIN nightly_runs r ON r.n = s.run_n AND r.tenant_id = :tenant
WHERE s.run_n = :run_n ORDER BY s.ordinal;

-- name: metrics
SELECT m.name, m.value, m.bound, m.exceeded
FROM nightly_metrics m JOIN nightly_runs r ON r.n = m.run_n AND r.tenant_id = :tenant
WHERE m.run_n = :run_n ORDER BY m.name;

-- name: set_step
-- The tokens of a step are noted by `note_tokens`, and stay.
UPDATE nightly_steps
SET state = :state,
    report = CAST({json_merge}({json :report}, {json_object}(
        'tokens', coalesce(CAST({json report} ->> 'tokens' AS BIGINT), 0))) AS TEXT)
WHERE run_n = (SELECT n FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant)
  AND ordinal = :ordinal;

-- name: tokens
SELECT CAST(coalesce(sum(CAST({json s.report} ->> 'tokens' AS BIGINT)), 0) AS BIGINT)
FROM nightly_steps s JOIN nightly_runs r ON r.n = s.run_n AND r.tenant_id = :tenant
WHERE s.run_n = :run_n;

-- name: note_tokens
UPDATE nightly_steps
SET report = CAST({json_merge}({json report}, {json_object}(
        'tokens', coalesce(CAST({json report} ->> 'tokens' AS BIGINT), 0) + :tokens)) AS TEXT)
WHERE run_n = (SELECT n FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant)
  AND ordinal = :ordinal;

-- name: add_item
INSERT INTO nightly_plan (run_n, step, ordinal, item)
SELECT n, :step,
       1 + coalesce((SELECT max(ordinal) FROM nightly_plan WHERE run_n = :run_n AND step = :step), 0),
       :item
FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant;

-- name: clear_plan
DELETE FROM nightly_plan
WHERE run_n = (SELECT n FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant)
  AND step = :step AND ordinal <= CAST(:first AS BIGINT) + 400;

-- name: first_item
SELECT coalesce(min(p.ordinal), 0)
FROM nightly_plan p JOIN nightly_runs r ON r.n = p.run_n AND r.tenant_id = :tenant
WHERE p.run_n = :run_n AND p.step = :step;

-- name: next_items
SELECT p.ordinal, p.item
FROM nightly_plan p JOIN nightly_runs r ON r.n = p.run_n AND r.tenant_id = :tenant
WHERE p.run_n = :run_n AND p.step = :step ORDER BY p.ordinal LIMIT :limit;

-- name: strike
DELETE FROM nightly_plan
WHERE run_n = (SELECT n FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant)
  AND step = :step AND ordinal IN (SELECT value FROM {numbers :ordinals});

-- name: drop_items
DELETE FROM nightly_plan
WHERE run_n IN (SELECT n FROM nightly_runs WHERE tenant_id = :tenant)
  AND EXISTS (SELECT 1 FROM {texts :ids} w WHERE {position}(nightly_plan.item, w.value) > 0);

-- name: drop_left
DELETE FROM nightly_plan WHERE (run_n, step, ordinal) IN (
    SELECT p.run_n, p.step, p.ordinal
    FROM nightly_runs r CROSS JOIN nightly_plan p ON p.run_n = r.n
    WHERE r.tenant_id = :tenant AND r.state <> 'running'
    LIMIT 400);

-- name: changes
SELECT c.seq, c.tbl, c.op, c.key, m.id AS memory_id
FROM nightly_changes c
JOIN nightly_runs r ON r.n = c.run_n AND r.tenant_id = :tenant
LEFT JOIN memories m ON m.n = c.memory_n
WHERE c.run_n = :run_n ORDER BY c.seq LIMIT :limit;

-- name: changes_in_words
SELECT c.seq, coalesce(s.name, '') AS step, c.tbl, c.op, m.id AS memory_id,
       CASE WHEN c.tbl = 'memories' AND c.op = 'update' THEN c.image ELSE '{}' END AS image,
       CASE WHEN c.tbl IN ('core_files', 'core_lines', 'generated_files')
            THEN {json c.key} ->> 1 END AS file,
       v.content AS wording,
       (SELECT p.content FROM memory_versions p
        WHERE p.memory_n = v.memory_n AND p.version < v.version
        ORDER BY p.version DESC LIMIT 1) AS former,
       (SELECT p.content FROM memory_versions p
        WHERE p.memory_n = m.n ORDER BY p.version DESC LIMIT 1) AS present
FROM nightly_changes c
JOIN nightly_runs r ON r.n = c.run_n AND r.tenant_id = :tenant
LEFT JOIN nightly_steps s ON s.run_n = c.run_n AND s.ordinal = c.step
LEFT JOIN memories m ON m.n = c.memory_n
LEFT JOIN memory_versions v ON c.tbl = 'memory_versions' AND c.op = 'insert'
                           AND v.n = CAST({json c.key} ->> 0 AS BIGINT)
WHERE c.run_n = :run_n AND c.seq > :after ORDER BY c.seq LIMIT :limit;

-- name: last_changes
SELECT c.seq, c.tbl, c.op, c.key, c.image,
       coalesce(c.memory_n, v.memory_n) AS memory_n
FROM nightly_changes c JOIN nightly_runs r ON r.n = c.run_n AND r.tenant_id = :tenant
LEFT JOIN memory_versions v ON c.tbl = 'documents' AND v.n = CAST({json c.key} ->> 0 AS BIGINT)
WHERE c.run_n = :run_n ORDER BY c.seq DESC LIMIT :limit;

-- name: made
SELECT c.tbl, c.op, c.memory_n, m.id, CAST({json c.key} ->> 0 AS BIGINT) AS n
FROM nightly_changes c
JOIN nightly_runs r ON r.n = c.run_n AND r.tenant_id = :tenant
JOIN memories m ON m.n = c.memory_n
WHERE c.run_n = :run_n AND c.op = 'insert' AND c.tbl IN ('memories', 'memory_versions');

-- name: core_changes
SELECT c.seq, c.tbl, c.op, c.key, c.image
FROM nightly_changes c JOIN nightly_runs r ON r.n = c.run_n AND r.tenant_id = :tenant
WHERE c.run_n = :run_n AND c.tbl IN ('core_lines', 'core_files')
  AND {json c.key} ->> 1 = :file
ORDER BY c.seq DESC;

-- name: changes_of_memory
-- Changes to the memory's own row.
SELECT c.op, c.image
FROM nightly_changes c JOIN nightly_runs r ON r.n = c.run_n AND r.tenant_id = :tenant
WHERE c.memory_n = :memory_n AND +c.run_n = :run_n AND c.tbl = 'memories' ORDER BY c.seq;

-- name: memory
SELECT * FROM memories WHERE n = :memory_n AND tenant_id = :tenant;

-- name: forget_change
DELETE FROM nightly_changes
WHERE run_n = (SELECT n FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant) AND seq = :seq;

-- name: lease
SELECT 1 FROM leases
WHERE tenant_id = (SELECT id FROM tenants WHERE name = :tenant_name)
  AND name = :name AND owner = :owner AND expires_at > :now;
