-- name: held
-- Of each workspace, what is on record.
SELECT w.name,
       (SELECT count(*) FROM memories m
        WHERE m.tenant_id = :tenant AND m.workspace_n = w.n AND m.validity = 'active') AS memories,
       (SELECT count(*) FROM documents d
        WHERE d.tenant_id = :tenant AND d.workspace_n = w.n AND d.kind = 'turn') AS turns,
       EXISTS (SELECT 1 FROM memories m WHERE m.tenant_id = :tenant AND m.workspace_n = w.n)
       OR EXISTS (SELECT 1 FROM sessions s WHERE s.tenant_id = :tenant AND s.workspace_n = w.n)
       OR EXISTS (SELECT 1 FROM scratchpads x WHERE x.tenant_id = :tenant AND x.workspace_n = w.n)
       OR EXISTS (SELECT 1 FROM private_times p WHERE p.tenant_id = :tenant AND p.workspace_n = w.n)
       AS is_used
FROM workspaces w
WHERE w.tenant_id = :tenant
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
