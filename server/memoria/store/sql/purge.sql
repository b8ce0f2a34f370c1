-- name: spent
-- Memories that expired within a day of being said. The index finds those that expired within a day of
-- being read, which are more, as reading may be later.
SELECT m.id FROM memories m
WHERE m.tenant_id = :tenant AND m.expires_at IS NOT NULL AND m.expires_at <= :before
  AND m.validity = 'archived' AND m.updated_at <= :before AND NOT m.pinned
  AND m.expires_at - m.created_at <= 86400000
  AND m.expires_at - (SELECT min({least}(v.valid_from, coalesce(t.at, v.valid_from)))
                      FROM memory_versions v LEFT JOIN turns t ON t.n = v.turn_n
                      WHERE v.memory_n = m.n) <= 86400000
ORDER BY m.expires_at, m.n LIMIT :limit;

-- name: archived
SELECT id FROM memories
WHERE tenant_id = :tenant AND validity = 'archived' AND updated_at <= :before
  AND NOT pinned
ORDER BY updated_at, n LIMIT :limit;

-- name: close_runs
UPDATE nightly_runs SET undoable = FALSE WHERE tenant_id = :tenant AND undoable AND at < :before;

-- name: drop_images
DELETE FROM nightly_changes WHERE (run_n, seq) IN (
    SELECT c.run_n, c.seq
    FROM nightly_runs r CROSS JOIN nightly_changes c ON c.run_n = r.n
    WHERE r.tenant_id = :tenant AND NOT r.undoable
    LIMIT :limit);
