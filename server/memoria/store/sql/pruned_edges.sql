-- Pruned edges. A plus before a column (+tenant_id) keeps the planner from using an index on it;
-- see graph.sql. Code 10 is SIMILAR_TO; 6 is SUPPORTS and 8 is DERIVED_FROM.

-- name: dense_nodes
-- All neighbours of all memories are counted: once in a nightly run.
SELECT n, count(*) AS many FROM (
    SELECT src_n AS n FROM edges WHERE +tenant_id = :tenant AND code = 10
    UNION ALL
    SELECT dst_n AS n FROM edges WHERE +tenant_id = :tenant AND code = 10)
GROUP BY n HAVING count(*) > :most ORDER BY many DESC, n LIMIT :limit;

-- name: similar_pairs
SELECT e.src_n, e.code, e.dst_n, e.weight, e.by_model
FROM {numbers :ns} w CROSS JOIN edges e ON e.src_n = w.value AND e.code = 10
WHERE +e.tenant_id = :tenant
UNION
SELECT e.src_n, e.code, e.dst_n, e.weight, e.by_model
FROM {numbers :ns} w CROSS JOIN edges e ON e.dst_n = w.value AND e.code = 10
WHERE +e.tenant_id = :tenant;

-- name: inactive
-- Neighbours of which one does not count; who has the edge is found from the memory's side.
SELECT e.src_n, e.code, e.dst_n, m.n
FROM memories m CROSS JOIN nodes x ON x.memory_n = m.n
CROSS JOIN edges e ON e.src_n = x.n AND e.code = 10
WHERE +m.tenant_id = :tenant AND m.n > :after AND m.n <= :last AND m.validity <> 'active'
UNION
SELECT e.src_n, e.code, e.dst_n, m.n
FROM memories m CROSS JOIN nodes x ON x.memory_n = m.n
CROSS JOIN edges e ON e.dst_n = x.n AND e.code = 10
WHERE +m.tenant_id = :tenant AND m.n > :after AND m.n <= :last AND m.validity <> 'active'
ORDER BY 1, 2, 3;

-- name: next_page
SELECT max(n) AS last FROM (
    SELECT n FROM memories WHERE +tenant_id = :tenant AND n > :after ORDER BY n LIMIT :limit);

-- name: evidence_to_transfer
-- Turns and memories that bear out what was merged, and not yet what it was merged into.
SELECT e.src_n, e.code, e.dst_n, s.n AS heir, m.n
FROM memories m
CROSS JOIN memories o ON o.n = m.merged_into AND o.validity = 'active'
CROSS JOIN nodes x ON x.memory_n = m.n
CROSS JOIN nodes s ON s.memory_n = o.n
CROSS JOIN edges e ON e.src_n = x.n AND e.code IN (6, 8)
WHERE m.merged_into IS NOT NULL AND +m.tenant_id = :tenant AND m.validity <> 'active'
  AND e.dst_n <> s.n
  AND NOT EXISTS (SELECT 1 FROM edges f
                  WHERE f.src_n = s.n AND f.code = e.code AND f.dst_n = e.dst_n)
ORDER BY e.src_n, e.code, e.dst_n;

-- name: restorable
-- What was pruned for want of room, the strongest first, with how many its ends have.
SELECT c.src_n, c.code, c.dst_n, c.reason,
       (SELECT count(*) FROM edges e WHERE e.src_n = c.src_n AND e.code = c.code)
     + (SELECT count(*) FROM edges e WHERE e.dst_n = c.src_n AND e.code = c.code) AS src_degree,
       (SELECT count(*) FROM edges e WHERE e.src_n = c.dst_n AND e.code = c.code)
     + (SELECT count(*) FROM edges e WHERE e.dst_n = c.dst_n AND e.code = c.code) AS dst_degree
FROM pruned_edges c
WHERE +c.tenant_id = :tenant AND c.reason <> 'inactive'
  AND NOT (c.code = 10 AND EXISTS (SELECT 1 FROM nodes x CROSS JOIN memories m ON m.n = x.memory_n
                                   WHERE x.n IN (c.src_n, c.dst_n) AND m.validity <> 'active'))
ORDER BY c.power DESC, c.src_n, c.code, c.dst_n LIMIT :limit;

-- name: prune
INSERT INTO pruned_edges
SELECT tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model, created_at,
       power, turn_n, event_at, event_expression, :reason
FROM edges
WHERE src_n = :src AND code = :code AND dst_n = :dst AND +tenant_id = :tenant
{replace_edge}, reason = excluded.reason;

-- name: is_still_inactive
SELECT EXISTS (SELECT 1 FROM nodes x CROSS JOIN memories m ON m.n = x.memory_n
               WHERE x.n IN (:src, :dst) AND +x.tenant_id = :tenant AND m.validity <> 'active');

-- name: drop
DELETE FROM edges WHERE src_n = :src AND code = :code AND dst_n = :dst AND +tenant_id = :tenant;

-- name: restore
INSERT INTO edges
SELECT tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model, created_at,
       power, turn_n, event_at, event_expression
FROM pruned_edges
WHERE src_n = :src AND code = :code AND dst_n = :dst AND +tenant_id = :tenant
ON CONFLICT DO NOTHING;

-- name: drop_pruned
DELETE FROM pruned_edges WHERE src_n = :src AND code = :code AND dst_n = :dst AND +tenant_id = :tenant;

-- name: transfer
INSERT INTO edges
SELECT tenant_id, :heir, code, dst_n, weight, confidence, negated, modality, by_model, created_at,
       power, turn_n, event_at, event_expression
FROM edges
WHERE src_n = :src AND code = :code AND dst_n = :dst AND +tenant_id = :tenant
  AND EXISTS (SELECT 1 FROM nodes h WHERE h.n = :heir AND +h.tenant_id = :tenant)
ON CONFLICT DO NOTHING;
