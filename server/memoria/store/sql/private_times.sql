-- name: begin
INSERT INTO private_times (tenant_id, workspace_n, began_at, ended_at)
VALUES (:tenant, :workspace, :began_at, :ended_at);

-- name: count
UPDATE tenants
SET private_times = (SELECT count(*) FROM private_times WHERE tenant_id = :tenant)
WHERE id = :tenant;

-- name: drop
DELETE FROM private_times
WHERE tenant_id = :tenant AND workspace_n {is} :workspace AND began_at = :began_at;

-- name: end
UPDATE private_times SET ended_at = :at
WHERE tenant_id = :tenant AND workspace_n {is} :workspace AND ended_at IS NULL;

-- name: list
SELECT w.name AS workspace, p.began_at, p.ended_at
FROM private_times p LEFT JOIN workspaces w ON w.n = p.workspace_n
WHERE p.tenant_id = :tenant
ORDER BY p.n;

-- name: applying
SELECT w.name AS workspace, p.began_at, p.ended_at
FROM private_times p LEFT JOIN workspaces w ON w.n = p.workspace_n
WHERE p.tenant_id = :tenant
  AND (w.name {is} :name
       OR EXISTS (SELECT 1 FROM sessions s
                  WHERE s.tenant_id = :tenant AND s.source = :source
                    AND s.session_id = :session_id AND s.workspace_n {is} p.workspace_n))
ORDER BY p.n;
