-- name: held
-- Of each workspace of which anything is on record, what that is.
WITH used AS (
  SELECT workspace_n AS n FROM memories WHERE tenant_id = :tenant
  UNION SELECT workspace_n FROM sessions WHERE tenant_id = :tenant
  UNION SELECT workspace_n FROM scratchpads WHERE tenant_id = :tenant
  UNION SELECT workspace_n FROM private_times WHERE tenant_id = :tenant
), active AS (
  SELECT workspace_n AS n, count(*) AS memories FROM memories
  WHERE tenant_id = :tenant AND validity = 'active' GROUP BY workspace_n
), said AS (
  SELECT workspace_n AS n, count(*) AS turns FROM documents
  WHERE tenant_id = :tenant AND kind = 'turn' GROUP BY workspace_n
)
SELECT w.name, coalesce(a.memories, 0) AS memories, coalesce(s.turns, 0) AS turns
FROM workspaces w
JOIN used u ON u.n = w.n
LEFT JOIN active a ON a.n = w.n
LEFT JOIN said s ON s.n = w.n
WHERE w.tenant_id = :tenant
ORDER BY w.name;

-- name: used
-- Most have a session. Only for those that have none are memories looked at, up to the first.
SELECT w.name FROM workspaces w
WHERE w.tenant_id = :tenant
  AND (w.n IN (SELECT workspace_n FROM sessions WHERE tenant_id = :tenant)
       OR EXISTS (SELECT 1 FROM memories m WHERE m.tenant_id = :tenant AND m.workspace_n = w.n))
ORDER BY w.name;

-- name: documents
SELECT n FROM documents WHERE tenant_id = :tenant AND workspace_n = :former ORDER BY n;

-- name: move_memories
UPDATE memories SET workspace_n = :workspace WHERE tenant_id = :tenant AND workspace_n = :former;

-- name: move_sessions
UPDATE sessions SET workspace_n = :workspace WHERE tenant_id = :tenant AND workspace_n = :former;

-- name: move_scratchpads
UPDATE scratchpads SET workspace_n = :workspace WHERE tenant_id = :tenant AND workspace_n = :former;

-- name: move_private_times
UPDATE private_times SET workspace_n = :workspace
WHERE tenant_id = :tenant AND workspace_n = :former;
