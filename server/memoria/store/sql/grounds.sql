-- For +tenant_id see conversations.sql.

-- name: unbound
-- Present wordings of a project at which nobody has looked, or that are to be bound anew ('null'),
-- the newest first.
SELECT v.n, v.content, CASE WHEN g.parts IS NULL THEN v.valid_from ELSE :now END, v.turn_n
FROM workspaces w
CROSS JOIN memories m ON m.workspace_n = w.n AND m.tenant_id = :tenant AND m.validity = 'active'
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
LEFT JOIN grounds g ON g.wording_n = v.n
WHERE w.tenant_id = :tenant AND w.name = :project AND (g.parts IS NULL OR g.parts = 'null')
  AND m.type NOT IN {derived_types}
ORDER BY v.n DESC LIMIT :most;

-- name: session_before
-- Turns of the session in which a turn was, up to that turn.
SELECT t.n
FROM turns f
CROSS JOIN turns t ON t.session_n = f.session_n AND t.turn_index <= f.turn_index
                  AND t.turn_index > f.turn_index - :reach
WHERE f.n = :n AND +f.tenant_id = :tenant
ORDER BY t.turn_index, t.version;

-- name: bind
INSERT INTO grounds (wording_n, tenant_id, parts) VALUES (:n, :tenant, :parts)
ON CONFLICT (wording_n) DO UPDATE SET parts = excluded.parts;

-- name: of_memories
SELECT m.id, v.n, w.name AS workspace, g.parts
FROM {texts :ids} i
CROSS JOIN memories m ON {short_id_of m} = i.value AND +m.tenant_id = :tenant
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN grounds g ON g.wording_n = v.n
CROSS JOIN workspaces w ON w.n = m.workspace_n
WHERE g.parts NOT IN ('[]', 'null')
ORDER BY v.n;

-- name: of_project
SELECT m.id, v.n, w.name AS workspace, g.parts
FROM grounds g
CROSS JOIN memory_versions v ON v.n = g.wording_n AND v.valid_to IS NULL
CROSS JOIN memories m ON m.n = v.memory_n AND m.validity = 'active'
CROSS JOIN workspaces w ON w.n = m.workspace_n AND w.name = :project
WHERE g.tenant_id = :tenant AND g.parts NOT IN ('[]', 'null')
ORDER BY v.n;
