-- Rows that the workspace does not see come last: they are counted and not shown.

-- name: memories
WITH wanted AS (
  SELECT v.n, v.valid_from,
         d.workspace_n IS NOT NULL AND d.workspace_n {is_not} :first AND :first IS NOT NULL AS others,
         d.workspace_n IS NULL OR d.workspace_n {is} :place OR :everywhere AS seen
  FROM memories m
  JOIN memory_versions v ON v.memory_n = m.n AND v.version = (
       SELECT max(version) FROM memory_versions WHERE memory_n = m.n)
  JOIN documents d ON d.n = v.n
  WHERE m.tenant_id = :tenant
    AND (d.workspace_n IS NULL OR d.workspace_n {is} :place
         OR d.workspace_n NOT IN (SELECT value FROM {numbers :private}))
    AND (:validities IS NULL OR m.validity IN (SELECT value FROM {texts :validities}))
    AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
    AND (:task IS NULL OR m.task = :task)
    AND (:metadata IS NULL OR {has_metadata m.metadata})
    AND (:since IS NULL OR v.valid_from >= :since)
    AND (:until IS NULL OR v.valid_from < :until)
    AND (:entities IS NULL OR EXISTS (
         SELECT 1 FROM nodes x
         JOIN edges e ON e.src_n = x.n
         JOIN entities y ON y.n = e.dst_n
         LEFT JOIN entities c ON c.n = y.canonical_n
         WHERE x.memory_n = m.n
           AND (y.id IN (SELECT value FROM {texts :entities})
                OR c.id IN (SELECT value FROM {texts :entities})))))
SELECT n, seen, count(*) FILTER (WHERE seen) OVER () AS total,
       count(*) FILTER (WHERE NOT seen) OVER () AS elsewhere
FROM wanted
ORDER BY seen DESC, others, valid_from DESC, n DESC
LIMIT :limit OFFSET :offset;

-- name: walk
-- Of the `:reach` wordings before a place those that are wanted; `walk_end` is the one after them.
WITH reached AS (
  SELECT n, memory_n, version, valid_from
  FROM memory_versions
  WHERE tenant_id = :tenant AND valid_from <= :at AND (valid_from < :at OR n < :n)
  ORDER BY valid_from DESC, n DESC LIMIT :reach)
SELECT v.n, v.valid_from, m.id
FROM reached v
CROSS JOIN memories m ON m.n = v.memory_n
CROSS JOIN documents d ON d.n = v.n
WHERE v.version = (SELECT max(version) FROM memory_versions WHERE memory_n = m.n)
  AND (d.workspace_n IS NULL OR d.workspace_n {is} :place
       OR (:everywhere AND d.workspace_n NOT IN (SELECT value FROM {numbers :private})))
  AND (:validities IS NULL OR m.validity IN (SELECT value FROM {texts :validities}))
  AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
  AND (NOT :pinned OR m.pinned) AND NOT (:unverified AND m.verified)
ORDER BY v.valid_from DESC, v.n DESC LIMIT :limit;

-- name: walk_end
SELECT v.n, v.valid_from, m.id
FROM memory_versions v
CROSS JOIN memories m ON m.n = v.memory_n
WHERE v.tenant_id = :tenant AND v.valid_from <= :at AND (v.valid_from < :at OR v.n < :n)
ORDER BY v.valid_from DESC, v.n DESC LIMIT 1 OFFSET :reach;

-- name: walk_place
SELECT v.n
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_from = :at
WHERE m.id = :id AND m.tenant_id = :tenant
ORDER BY v.version DESC LIMIT 1;

-- name: sessions
-- A session whose turns are all forgotten is left out.
WITH wanted AS (
  SELECT s.n, s.last_at,
         s.workspace_n IS NOT NULL AND s.workspace_n {is_not} :first AND :first IS NOT NULL AS others,
         s.workspace_n IS NULL OR s.workspace_n {is} :place OR :everywhere AS seen
  FROM sessions s
  WHERE s.tenant_id = :tenant
    AND (s.workspace_n IS NULL OR s.workspace_n {is} :place
         OR s.workspace_n NOT IN (SELECT value FROM {numbers :private}))
    AND (:client IS NULL OR s.source = :client)
    AND (:since IS NULL OR s.last_at >= :since)
    AND (:until IS NULL OR s.last_at < :until)
    AND EXISTS (SELECT 1 FROM turns t WHERE t.session_n = s.n))
SELECT n, seen, count(*) FILTER (WHERE seen) OVER () AS total,
       count(*) FILTER (WHERE NOT seen) OVER () AS elsewhere
FROM wanted
ORDER BY seen DESC, others, last_at DESC, n DESC
LIMIT :limit OFFSET :offset;

-- name: described
-- The opening turn is the first of a user, or else the first of anybody.
SELECT s.n, s.session_id, s.source AS client, s.first_at, s.last_at, w.name AS workspace,
       (SELECT count(*) FROM turns t JOIN documents d ON d.n = t.n
        WHERE t.session_n = s.n AND d.current) AS turns,
       (SELECT count(DISTINCT v.memory_n) FROM turns t JOIN memory_versions v ON v.turn_n = t.n
        WHERE t.session_n = s.n) AS memories,
       (SELECT t.n FROM turns t JOIN documents d ON d.n = t.n
        WHERE t.session_n = s.n AND d.current AND NOT d.suppressed
        ORDER BY t.role <> 'user', t.turn_index, t.version LIMIT 1) AS opening_n
FROM sessions s
LEFT JOIN workspaces w ON w.n = s.workspace_n
WHERE +s.tenant_id = :tenant AND s.n IN (SELECT value FROM {numbers :ns});

-- name: held
-- Sessions with what was said in each of some days, in the order in which it began. Of very many turns
-- the first are read. `days` has the beginning of each day.
WITH said AS (
  SELECT t.n, t.session_n, t.at,
         (SELECT count(*) FROM {numbers :days} b WHERE b.value <= t.at) AS day
  FROM turns t
  WHERE t.tenant_id = :tenant AND t.at >= :begin AND t.at < :end
  ORDER BY t.at, t.n LIMIT :most_turns)
SELECT s.n, said.day - 1 AS day, min(said.at) AS first_at, max(said.at) AS last_at,
       count(*) AS turns
FROM said
JOIN documents d ON d.n = said.n AND d.current AND NOT d.suppressed
JOIN sessions s ON s.n = said.session_n
WHERE s.workspace_n IS NULL OR s.workspace_n {is} :place
   OR :everywhere AND s.workspace_n NOT IN (SELECT value FROM {numbers :private})
GROUP BY s.n, said.day ORDER BY first_at, s.n LIMIT :limit;

-- name: held_until
-- Time of the last turn that `held` reads, if there are as many.
SELECT at FROM turns WHERE tenant_id = :tenant AND at >= :begin AND at < :end
ORDER BY at LIMIT 1 OFFSET CAST(:most_turns AS BIGINT) - 1;
