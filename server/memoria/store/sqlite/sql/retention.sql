-- name: expired
SELECT n, id FROM memories
WHERE tenant_id = :tenant AND expires_at IS NOT NULL AND expires_at <= :at
  AND validity = 'active' AND NOT pinned AND n > :after
ORDER BY n LIMIT :limit;
