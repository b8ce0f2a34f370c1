-- name: place
SELECT source, path, session_id, "offset", place, touched_at FROM transcripts
WHERE tenant_id = :tenant AND source = :source AND path = :path;

-- name: live
WITH touched (session_id) AS MATERIALIZED (
    SELECT DISTINCT session_id FROM transcripts
    WHERE tenant_id = :tenant AND source = :source AND touched_at >= :since)
SELECT t.session_id
FROM touched t
CROSS JOIN sessions s
  ON s.tenant_id = :tenant AND s.source = :source AND s.session_id = t.session_id
LEFT JOIN workspaces w ON w.n = s.workspace_n
WHERE w.name {is} :project
LIMIT 2;

-- name: held
SELECT source, path, session_id, "offset", place, touched_at FROM transcripts
WHERE tenant_id = :tenant AND source = :source AND path > :above AND path < :below
  AND touched_at >= :since;

-- name: recent
SELECT source, path, session_id, "offset", place, touched_at FROM transcripts
WHERE tenant_id = :tenant AND abs(touched_at) >= :since
ORDER BY abs(touched_at) DESC, n DESC
LIMIT :limit;

-- name: note
INSERT INTO transcripts (tenant_id, source, path, session_id, "offset", place, touched_at)
VALUES (:tenant, :source, :path, :session_id, :offset, :place, :touched_at)
ON CONFLICT (tenant_id, source, path) DO UPDATE
SET session_id = excluded.session_id, "offset" = excluded."offset", place = excluded.place,
    touched_at = excluded.touched_at;
