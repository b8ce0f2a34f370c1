-- name: add_text
INSERT INTO hidden_texts (tenant_id, report_id, text, data)
VALUES (:tenant, :report_id, :text, :data);

-- name: add_file
INSERT INTO hidden_files (tenant_id, report_id, place, content, left_as)
VALUES (:tenant, :report_id, :place, :content, :left_as);

-- name: hashes
SELECT content_hash AS hash FROM turns
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant
UNION SELECT args_hash FROM turns
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant AND args_hash IS NOT NULL
UNION SELECT result_hash FROM turns
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant AND result_hash IS NOT NULL;

-- name: file_hashes
SELECT DISTINCT file_hash AS hash FROM turns
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant AND file_hash IS NOT NULL
ORDER BY hash;

-- name: texts
SELECT text, data FROM hidden_texts WHERE report_id = :report_id AND +tenant_id = :tenant ORDER BY n;

-- name: files
SELECT place, content, left_as FROM hidden_files
WHERE report_id = :report_id AND +tenant_id = :tenant ORDER BY n;

-- name: changes
SELECT n, tbl, op, key, image FROM hidden_changes
WHERE report_id = :report_id AND +tenant_id = :tenant ORDER BY n DESC;

-- name: due
SELECT id FROM forget_reports
WHERE +tenant_id = :tenant AND state = 'hidden' AND purge_at <= :now ORDER BY purge_at, n;

-- name: end
UPDATE forget_reports
SET state = :state, purged_at = CASE WHEN :state = 'erased' THEN :now END
WHERE id = :report_id AND +tenant_id = :tenant AND state = 'hidden';

-- name: drop_changes
DELETE FROM hidden_changes WHERE report_id = :report_id AND +tenant_id = :tenant;

-- name: drop_texts
DELETE FROM hidden_texts WHERE report_id = :report_id AND +tenant_id = :tenant;

-- name: drop_files
DELETE FROM hidden_files WHERE report_id = :report_id AND +tenant_id = :tenant;

-- name: drop_empty_sessions
DELETE FROM sessions
WHERE tenant_id = :tenant
  AND NOT EXISTS (SELECT 1 FROM turns WHERE session_n = sessions.n)
  AND NOT EXISTS (SELECT 1 FROM segments WHERE session_n = sessions.n)
  AND NOT EXISTS (SELECT 1 FROM extraction_queue WHERE session_n = sessions.n)
  AND NOT EXISTS (SELECT 1 FROM episodes WHERE session_n = sessions.n);

-- name: drop_empty_workspaces
-- Names are overwritten, as by `clear_workspaces` in erasures.sql.
UPDATE workspaces SET name = 'forgotten ' || n
WHERE tenant_id = :tenant
  AND n NOT IN (SELECT workspace_n FROM private_times
                WHERE tenant_id = :tenant AND workspace_n IS NOT NULL)
  AND n NOT IN (SELECT workspace_n FROM sessions
                WHERE tenant_id = :tenant AND workspace_n IS NOT NULL)
  AND n NOT IN (SELECT workspace_n FROM memories
                WHERE tenant_id = :tenant AND workspace_n IS NOT NULL)
  AND n NOT IN (SELECT workspace_n FROM scratchpads
                WHERE tenant_id = :tenant AND workspace_n IS NOT NULL);

-- name: is_of_everything
SELECT EXISTS (SELECT 1 FROM forget_reports
               WHERE id = :report_id AND +tenant_id = :tenant AND selected_by = '["everything"]');

-- name: any
SELECT EXISTS (SELECT 1 FROM hidden_changes) OR EXISTS (SELECT 1 FROM hidden_texts)
    OR EXISTS (SELECT 1 FROM hidden_files);

-- name: drop_all_changes
DELETE FROM hidden_changes;

-- name: drop_all_texts
DELETE FROM hidden_texts;

-- name: drop_all_files
DELETE FROM hidden_files;
