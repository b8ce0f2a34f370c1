-- name: memories
SELECT m.id, m.type, v.content, v.n AS version_n, v.valid_from, m.importance, m.pinned, m.verified,
       m.subject, m.predicate, v.trust, v.channel, w.name AS project, t.utc_offset
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN workspaces w ON w.n = m.workspace_n AND m.scope = 'project'
WHERE m.tenant_id = :tenant AND m.validity = 'active' AND m.type NOT IN {conversation_summaries}
  AND (m.task IS NULL OR m.type NOT IN {guiding_types}) AND (m.expires_at IS NULL OR m.expires_at > :at)
ORDER BY m.n;

-- name: present
-- The memories of lines, all rules, the newest personal memories, and the newest of all.
WITH wanted (n) AS (
    SELECT memory_n FROM core_lines
    WHERE tenant_id = :tenant AND file IN (SELECT value FROM {texts :files})
    UNION
    SELECT n FROM memories
    WHERE tenant_id = :tenant AND validity = 'active' AND type IN {binding_types}
    UNION
    SELECT n FROM (SELECT n FROM memories
                   WHERE tenant_id = :tenant AND validity = 'active' AND type IN {personal_types}
                   ORDER BY n DESC LIMIT :most)
    UNION
    SELECT memory_n FROM (SELECT memory_n FROM memory_versions WHERE tenant_id = :tenant
                          ORDER BY ingested_at DESC, n DESC LIMIT :most))
SELECT m.id, m.type, v.content, v.n AS version_n, v.valid_from, m.importance, m.pinned, m.verified,
       m.subject, m.predicate, v.trust, v.channel, w.name AS project, t.utc_offset
FROM wanted
CROSS JOIN memories m ON m.n = wanted.n
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN workspaces w ON w.n = m.workspace_n AND m.scope = 'project'
WHERE +m.tenant_id = :tenant AND m.validity = 'active' AND m.type NOT IN {conversation_summaries}
  AND (m.task IS NULL OR m.type NOT IN {guiding_types}) AND (m.expires_at IS NULL OR m.expires_at > :at)
  AND (m.scope = 'everywhere' OR m.workspace_n IS NULL OR w.name = :project)
ORDER BY m.n;

-- name: next_end
SELECT min(expires_at) FROM memories
WHERE tenant_id = :tenant AND expires_at IS NOT NULL AND expires_at > :at;

-- name: projects
SELECT name FROM workspaces
WHERE tenant_id = :tenant AND n IN (
    SELECT workspace_n FROM memories WHERE tenant_id = :tenant AND scope = 'project')
ORDER BY n;

-- name: disputed
SELECT DISTINCT p.id AS user_edit, a.id AS against
FROM memories p
JOIN memory_versions v ON v.memory_n = p.n AND v.valid_to IS NULL
JOIN nodes pn ON pn.memory_n = p.n
CROSS JOIN edges e ON (e.src_n = pn.n AND e.code = {CONTRADICTS})
                   OR (e.dst_n = pn.n AND e.code = {CONTRADICTS})
JOIN nodes an ON an.n = CASE pn.n WHEN e.src_n THEN e.dst_n ELSE e.src_n END
JOIN memories a ON a.n = an.memory_n
WHERE p.tenant_id = :tenant AND p.validity = 'pending_confirmation' AND p.flag = 'conflict'
  AND v.channel = :channel
ORDER BY 1, 2;

-- name: statuses
SELECT m.id, m.type, v.content, v.n AS version_n, v.valid_from, m.importance, m.pinned, m.verified,
       m.subject, m.predicate, v.trust, v.channel, m.validity, w.name AS project, t.utc_offset
FROM {texts :ids} wanted
CROSS JOIN memories m ON m.id = wanted.value AND +m.tenant_id = :tenant
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN workspaces w ON w.n = m.workspace_n AND m.scope = 'project';

-- name: lines
SELECT m.id AS memory_id, l.mark, l.digest, l.version_n
FROM core_lines l JOIN memories m ON m.n = l.memory_n
WHERE l.tenant_id = :tenant AND l.file = :file
ORDER BY l.memory_n;

-- name: put
INSERT INTO core_lines (tenant_id, file, memory_n, mark, digest, version_n)
SELECT :tenant, :file, n, :mark, :digest, :version_n
FROM memories WHERE id = :memory_id AND +tenant_id = :tenant
ON CONFLICT (tenant_id, file, memory_n) DO UPDATE
SET mark = excluded.mark, digest = excluded.digest, version_n = excluded.version_n;

-- name: drop
DELETE FROM core_lines
WHERE tenant_id = :tenant AND file = :file
  AND memory_n = (SELECT n FROM memories WHERE id = :memory_id AND +tenant_id = :tenant);

-- name: state
SELECT digest, pending FROM core_files WHERE tenant_id = :tenant AND file = :file;

-- name: expect
INSERT INTO core_files (tenant_id, file, pending) VALUES (:tenant, :file, :digest)
ON CONFLICT (tenant_id, file) DO UPDATE SET pending = excluded.pending;

-- name: settle
INSERT INTO core_files (tenant_id, file, digest) VALUES (:tenant, :file, :digest)
ON CONFLICT (tenant_id, file) DO UPDATE SET digest = excluded.digest, pending = NULL;
