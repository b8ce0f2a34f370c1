-- name: spent
-- As the index has it: a day.
SELECT id FROM memories
WHERE tenant_id = :tenant AND expires_at IS NOT NULL AND expires_at <= :before
  AND validity = 'archived' AND updated_at <= :before AND NOT pinned
  AND expires_at - created_at <= 86400000
ORDER BY expires_at, n LIMIT :limit;

-- name: archived
SELECT id FROM memories
WHERE tenant_id = :tenant AND validity = 'archived' AND updated_at <= :before
  AND NOT pinned
ORDER BY updated_at, n LIMIT :limit;

-- name: close_runs
UPDATE nightly_runs SET undoable = 0 WHERE tenant_id = :tenant AND undoable AND at < :before;

-- name: drop_images
DELETE FROM nightly_changes WHERE (run_n, seq) IN (
    SELECT c.run_n, c.seq
    FROM nightly_runs r CROSS JOIN nightly_changes c ON c.run_n = r.n
    WHERE r.tenant_id = :tenant AND NOT r.undoable
    LIMIT :limit);
