-- name: columns
SELECT name, type, key FROM columns_of(:tbl);

-- name: begin_journal
-- The newest change so far comes with it.
SELECT (SELECT coalesce(max(seq), 0) FROM nightly_changes WHERE run_n = :run_n),
       set_config('memoria.run', CAST(:run_n AS TEXT), TRUE),
       set_config('memoria.step', CAST(:step AS TEXT), TRUE);

-- name: set_report
SELECT set_config('memoria.report', :report_id, TRUE);

-- name: changed
SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_xact_user_tables
WHERE schemaname = current_schema() AND relname NOT LIKE 'postings%';

-- name: journaled
SELECT seq FROM nightly_changes WHERE run_n = :run_n AND seq > :first ORDER BY seq DESC;

-- name: journaled_references
SELECT c.seq, p.seq
FROM nightly_changes c
JOIN {cascades} r ON r.tbl = c.tbl
JOIN nightly_changes p ON p.op = 'delete' AND p.tbl = r.parent
    AND p.key = concat('[', coalesce(CAST(c.image AS JSONB) -> r.col ->> 0,
                                     CAST(c.image AS JSONB) ->> r.col), ']')
WHERE c.op <> 'insert' AND c.run_n = :run_n AND p.run_n = :run_n
  AND c.seq > :first AND p.seq > :first;

-- name: place_journaled
UPDATE nightly_changes c
SET step = s.step, tbl = s.tbl, op = s.op, key = s.key, image = s.image, memory_n = s.memory_n,
    turn_n = s.turn_n
FROM {pairs :places} w JOIN nightly_changes s ON s.run_n = :run_n AND s.seq = w.value
WHERE c.run_n = :run_n AND c.seq = CAST(w.key AS BIGINT);

-- name: hidden
SELECT n FROM hidden_changes WHERE report_id = :report_id ORDER BY n DESC;

-- name: hidden_references
SELECT c.n, p.n
FROM hidden_changes c
JOIN {cascades} r ON r.tbl = c.tbl
JOIN hidden_changes p ON p.op = 'delete' AND p.tbl = r.parent
    AND p.key = concat('[', coalesce(CAST(c.image AS JSONB) -> r.col ->> 0,
                                     CAST(c.image AS JSONB) ->> r.col), ']')
WHERE c.op <> 'insert' AND c.report_id = :report_id AND p.report_id = :report_id;

-- name: place_hidden
UPDATE hidden_changes c SET tbl = s.tbl, op = s.op, key = s.key, image = s.image
FROM {pairs :places} w JOIN hidden_changes s ON s.n = w.value
WHERE c.report_id = :report_id AND c.n = CAST(w.key AS BIGINT);
