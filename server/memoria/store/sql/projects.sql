-- name: held
-- Workspaces with anything on record, and their numbers of memories and turns.
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
-- Memories are looked at, up to the first, only for workspaces without a session.
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

-- name: name
SELECT name FROM workspaces WHERE tenant_id = :tenant AND n = :n;

-- name: joining_sessions
SELECT n FROM sessions WHERE tenant_id = :tenant AND workspace_n = :former ORDER BY n;

-- name: joining_memories
SELECT id FROM memories WHERE tenant_id = :tenant AND workspace_n = :former ORDER BY n;

-- name: joining_times
SELECT n FROM private_times WHERE tenant_id = :tenant AND workspace_n = :former ORDER BY n;

-- name: parting_sessions
-- A number may have been given to another session, which has no turn from before the join.
SELECT s.n FROM sessions s
WHERE +s.tenant_id = :tenant AND s.n IN (SELECT value FROM {numbers :sessions})
  AND s.workspace_n = :workspace AND :former <> :workspace
  AND EXISTS (SELECT 1 FROM turns t WHERE t.session_n = s.n AND t.ingested_at <= :joined_at);

-- name: parting_memories
SELECT m.n FROM memories m
WHERE m.tenant_id = :tenant AND m.workspace_n = :workspace AND :former <> :workspace
  AND (m.id IN (SELECT value FROM {texts :memories})
       OR EXISTS (SELECT 1 FROM memory_versions v JOIN turns t ON t.n = v.turn_n
                  WHERE v.memory_n = m.n
                    AND t.session_n IN (SELECT value FROM {numbers :sessions})));

-- name: parting_documents
SELECT d.n FROM documents d JOIN turns t ON t.n = d.n
WHERE +d.tenant_id = :tenant AND d.workspace_n = :workspace AND :former <> :workspace
  AND t.session_n IN (SELECT value FROM {numbers :sessions})
UNION ALL
SELECT d.n FROM documents d JOIN memory_versions v ON v.n = d.n
WHERE +d.tenant_id = :tenant AND d.workspace_n = :workspace
  AND v.memory_n IN (SELECT value FROM {numbers :memories});

-- name: part_scratchpads
UPDATE scratchpads SET workspace_n = :former
WHERE tenant_id = :tenant AND workspace_n = :workspace AND session_id IN (
  SELECT session_id FROM sessions WHERE n IN (SELECT value FROM {numbers :sessions}));

-- name: part_sessions
UPDATE sessions SET workspace_n = :former
WHERE +tenant_id = :tenant AND n IN (SELECT value FROM {numbers :sessions});

-- name: part_memories
UPDATE memories SET workspace_n = :former
WHERE +tenant_id = :tenant AND n IN (SELECT value FROM {numbers :memories});

-- name: part_times
UPDATE private_times SET workspace_n = :former
WHERE +tenant_id = :tenant AND n IN (SELECT value FROM {numbers :times})
  AND workspace_n = :workspace AND began_at <= :joined_at;
