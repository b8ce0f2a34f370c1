-- Dangling rows of the graph, for doctor. An entity without a name is one: no forget would reach it.

-- name: count_edges
SELECT count(*) FROM edges;

-- name: lost_canonicals
SELECT n FROM entities e
WHERE canonical_n IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM entities c WHERE c.n = e.canonical_n AND c.canonical_n IS NULL);

-- name: lost_edges
SELECT e.src_n, e.code, e.dst_n FROM edges e
LEFT JOIN nodes s ON s.n = e.src_n AND s.tenant_id = e.tenant_id
LEFT JOIN nodes d ON d.n = e.dst_n AND d.tenant_id = e.tenant_id
WHERE s.n IS NULL OR d.n IS NULL;

-- name: lost_nodes
SELECT n FROM nodes x
WHERE CASE
    WHEN memory_n IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM memories WHERE n = x.memory_n)
    WHEN turn_n IS NOT NULL THEN NOT EXISTS (SELECT 1 FROM turns WHERE n = x.turn_n)
    ELSE NOT EXISTS (SELECT 1 FROM entities WHERE n = x.n)
      OR NOT EXISTS (SELECT 1 FROM entity_names WHERE entity_n = x.n)
         AND NOT EXISTS (SELECT 1 FROM entities WHERE canonical_n = x.n)
  END;

-- name: lost_entities
SELECT n FROM entities e WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE n = e.n);

-- name: lost_names
SELECT n FROM entity_names s
WHERE NOT EXISTS (SELECT 1 FROM name_uses WHERE name_n = s.n)
   OR NOT EXISTS (SELECT 1 FROM entities WHERE n = s.entity_n);

-- name: lost_uses
SELECT u.name_n, u.node_n FROM name_uses u
LEFT JOIN entity_names s ON s.n = u.name_n
LEFT JOIN nodes m ON m.n = u.node_n
WHERE s.n IS NULL OR m.n IS NULL;

-- name: lost_turns
SELECT src_n, code, dst_n FROM edges e
WHERE turn_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE n = e.turn_n);

-- name: mend_edges
DELETE FROM edges WHERE src_n = :src_n AND code = :code AND dst_n = :dst_n;

-- name: mend_turns
UPDATE edges SET turn_n = NULL, event_expression = NULL
WHERE src_n = :src_n AND code = :code AND dst_n = :dst_n;

-- name: mend_canonicals
UPDATE entities SET canonical_n = NULL WHERE n = :n;

-- name: mend_entities
DELETE FROM entities WHERE n = :n;

-- name: mend_uses
DELETE FROM name_uses WHERE name_n = :name_n AND node_n = :node_n;

-- name: mend_names
DELETE FROM entity_names WHERE n = :n;

-- name: mend_nodes
DELETE FROM nodes WHERE n = :n;
