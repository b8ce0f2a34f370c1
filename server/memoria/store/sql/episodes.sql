-- name: put
INSERT INTO episodes (memory_n, tenant_id, session_n, first_index, last_index)
SELECT n, :tenant, :session_n, :first_index, :last_index
FROM memories WHERE id = :memory_id AND +tenant_id = :tenant;

-- name: of
SELECT m.id
FROM episodes e JOIN memories m ON m.n = e.memory_n
WHERE e.session_n = :session_n AND e.first_index = :first_index AND e.last_index = :last_index
  AND +e.tenant_id = :tenant;

-- name: covering
SELECT m.id
FROM episodes e JOIN memories m ON m.n = e.memory_n AND m.validity = 'active'
WHERE e.session_n = :session_n AND e.first_index <= :first_index AND e.last_index >= :last_index
  AND +e.tenant_id = :tenant
ORDER BY m.n;

-- name: within
SELECT m.id
FROM episodes e JOIN memories m ON m.n = e.memory_n
WHERE e.session_n = :session_n AND e.first_index >= :first_index AND e.last_index <= :last_index
  AND +e.tenant_id = :tenant
ORDER BY m.n;

-- name: span
SELECT s.session_id, s.source, e.first_index, e.last_index
FROM memories m
JOIN episodes e ON e.memory_n = m.n
JOIN sessions s ON s.n = e.session_n
WHERE m.id = :memory_id AND +m.tenant_id = :tenant;

-- name: over
SELECT DISTINCT m.id
FROM {numbers :ns} wanted
CROSS JOIN turns t ON t.n = wanted.value AND +t.tenant_id = :tenant
CROSS JOIN episodes e ON e.session_n = t.session_n
           AND t.turn_index BETWEEN e.first_index AND e.last_index
JOIN memories m ON m.n = e.memory_n
ORDER BY m.id;

-- name: newest
SELECT w.value AS session_n, v.n
FROM {numbers :session_ns} w
CROSS JOIN episodes e ON e.memory_n = (
     SELECT o.memory_n FROM episodes o JOIN memories m ON m.n = o.memory_n
     WHERE o.session_n = w.value AND +o.tenant_id = :tenant AND m.validity IN ('active', 'archived')
     ORDER BY o.first_index DESC, o.last_index DESC LIMIT 1)
CROSS JOIN memory_versions v ON v.memory_n = e.memory_n AND v.valid_to IS NULL;

-- name: turns
SELECT m.id, t.n
FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
CROSS JOIN episodes e ON e.memory_n = m.n
CROSS JOIN turns t ON t.session_n = e.session_n
           AND t.turn_index BETWEEN e.first_index AND e.last_index
CROSS JOIN documents d ON d.n = t.n AND d.current
ORDER BY m.n, t.turn_index, t.version;

-- name: write_anew
UPDATE extraction_queue
SET state = 'waiting', finished_at = NULL, attempts = 0, not_before = :not_before, lease_owner = NULL,
    lease_until = 0, last_error = NULL, outcome = NULL
WHERE +tenant_id = :tenant AND kind = 'episode' AND state = 'done'
  AND n IN (SELECT q.n
            FROM {numbers :ns} wanted
            CROSS JOIN turns t ON t.n = wanted.value
            CROSS JOIN extraction_queue q ON q.session_n = t.session_n AND q.kind = 'episode'
                       AND t.turn_index BETWEEN q.first_index AND q.last_index);

-- name: active
SELECT m.n, m.id
FROM episodes e CROSS JOIN memories m ON m.n = e.memory_n AND m.validity = 'active'
WHERE e.memory_n > :after AND +e.tenant_id = :tenant
ORDER BY e.memory_n LIMIT :limit;

-- name: recent
-- Without a project, episodes of no project.
SELECT m.id
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
JOIN documents d ON d.n = v.n
LEFT JOIN workspaces w ON w.n = d.workspace_n
WHERE m.tenant_id = :tenant AND m.validity = 'active' AND m.type IN {conversation_summaries}
  AND (m.expires_at IS NULL OR m.expires_at > :at) AND w.name {is} :project
ORDER BY v.valid_from DESC, m.n DESC LIMIT :limit;

-- name: read_before
SELECT m.id
FROM {pairs :moments} w
CROSS JOIN memories m ON m.id = w.key AND +m.tenant_id = :tenant
CROSS JOIN episodes e ON e.memory_n = m.n
CROSS JOIN extraction_queue q ON q.session_n = e.session_n AND q.kind = 'episode'
           AND q.first_index = e.first_index AND q.last_index = e.last_index
WHERE q.state = 'done' AND q.finished_at < w.value
GROUP BY m.n ORDER BY m.n;

-- name: read_anew
UPDATE extraction_queue
SET state = 'waiting', finished_at = NULL, attempts = 0, not_before = 0, lease_owner = NULL,
    lease_until = 0, last_error = NULL, outcome = NULL
WHERE +tenant_id = :tenant AND kind = 'episode' AND state = 'done' AND finished_at < :moment
  AND (session_n, first_index, last_index) =
      (SELECT e.session_n, e.first_index, e.last_index
       FROM memories m JOIN episodes e ON e.memory_n = m.n
       WHERE m.id = :memory_id AND +m.tenant_id = :tenant);

-- name: leave
UPDATE extraction_queue
SET state = 'dropped', finished_at = :now, lease_owner = NULL, lease_until = 0
WHERE +tenant_id = :tenant AND kind = 'episode' AND state IN ('waiting', 'done')
  AND (session_n, first_index, last_index) =
      (SELECT e.session_n, e.first_index, e.last_index
       FROM memories m JOIN episodes e ON e.memory_n = m.n
       WHERE m.id = :memory_id AND +m.tenant_id = :tenant);
