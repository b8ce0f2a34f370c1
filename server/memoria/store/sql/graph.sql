-- For +tenant_id see conversations.sql.

-- name: add_memory_node
INSERT INTO nodes (tenant_id, memory_n)
SELECT tenant_id, n FROM memories WHERE id = :id AND +tenant_id = :tenant;

-- name: add_turn_node
INSERT INTO nodes (tenant_id, turn_n)
SELECT tenant_id, n FROM turns WHERE id = :id AND +tenant_id = :tenant;

-- name: memory_node
SELECT n.n FROM memories m JOIN nodes n ON n.memory_n = m.n
WHERE m.id = :id AND +m.tenant_id = :tenant;

-- name: turn_node
SELECT n.n FROM turns t JOIN nodes n ON n.turn_n = t.n WHERE t.id = :id AND +t.tenant_id = :tenant;

-- name: memory_nodes
SELECT n.n FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
CROSS JOIN nodes n ON n.memory_n = m.n;

-- name: entity_nodes
SELECT e.n FROM {texts :ids} w CROSS JOIN entities e ON e.id = w.value AND +e.tenant_id = :tenant;

-- name: entity_node
SELECT n FROM entities WHERE id = :id AND +tenant_id = :tenant;

-- name: add_entity_node
INSERT INTO nodes (tenant_id) VALUES (:tenant);

-- name: add_entity
INSERT INTO entities (n, id, tenant_id, kind) VALUES (:n, :id, :tenant, :kind);

-- name: named
SELECT s.entity_n, s.qualifier
FROM entity_names s JOIN entities e ON e.n = s.entity_n
WHERE s.tenant_id = :tenant AND s.key = :key AND e.kind = :kind
ORDER BY s.entity_n;

-- name: named_whatever
SELECT s.entity_n, s.qualifier
FROM entity_names s
WHERE s.tenant_id = :tenant AND s.key = :key AND s.qualifier = :qualifier
ORDER BY s.entity_n;

-- name: named_anyhow
-- Two entities are enough to know that the name is ambiguous.
SELECT g.n, (SELECT min(q.qualifier) FROM entity_names q
             WHERE q.tenant_id = :tenant AND q.key = :key AND q.entity_n = g.n) AS qualifier
FROM (SELECT min(s.entity_n) AS n
      FROM entity_names s CROSS JOIN entities e ON e.n = s.entity_n
      WHERE s.tenant_id = :tenant AND s.key = :key
      GROUP BY coalesce(e.canonical_n, e.n)
      LIMIT 2) g;

-- name: named_in_talk
-- Entities that no memory names: their kinds were read by rules.
SELECT DISTINCT s.entity_n
FROM entity_names s
WHERE s.tenant_id = :tenant AND s.key = :key
  AND NOT EXISTS (SELECT 1 FROM entity_names o
                  CROSS JOIN name_uses u ON u.name_n = o.n
                  CROSS JOIN nodes m ON m.n = u.node_n AND m.memory_n IS NOT NULL
                  WHERE o.entity_n = s.entity_n)
ORDER BY s.entity_n;

-- name: same_named
-- Qualifiers tell entities apart. Joined entities stand as their canonical one.
SELECT DISTINCT coalesce(e.canonical_n, e.n) AS one_n, coalesce(x.canonical_n, x.n) AS other_n,
       one.id AS one, other.id AS other
FROM entity_names s
CROSS JOIN entity_names o ON o.tenant_id = s.tenant_id AND o.key = s.key AND o.qualifier = ''
     AND o.entity_n > s.entity_n
CROSS JOIN entities e ON e.n = s.entity_n
CROSS JOIN entities x ON x.n = o.entity_n AND (x.kind = e.kind OR 'other' IN (x.kind, e.kind))
CROSS JOIN entities one ON one.n = CASE WHEN e.canonical_n IS NULL THEN e.n ELSE e.canonical_n END
CROSS JOIN entities other ON other.n = CASE WHEN x.canonical_n IS NULL THEN x.n ELSE x.canonical_n END
WHERE s.tenant_id = :tenant AND s.qualifier = '' AND one.n <> other.n
ORDER BY one_n, other_n
LIMIT :limit;

-- name: set_kind
UPDATE entities SET kind = :kind WHERE n = :n AND +tenant_id = :tenant;

-- name: name
INSERT INTO entity_names (tenant_id, entity_n, key, qualifier, name)
VALUES (:tenant, :entity_n, :key, :qualifier, :name)
ON CONFLICT (tenant_id, key, qualifier, entity_n) DO UPDATE SET name = entity_names.name
RETURNING n;

-- name: use_name
INSERT INTO name_uses (name_n, node_n) VALUES (:name_n, :node_n) ON CONFLICT DO NOTHING;

-- name: turn_number
SELECT n FROM turns WHERE id = :id AND +tenant_id = :tenant;

-- name: put
-- An edge of a model is not overwritten by an edge of a rule; otherwise the greater weight stays.
INSERT INTO edges (tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model,
                   created_at, power, turn_n, event_at, event_expression)
VALUES (:tenant, :src_n, :code, :dst_n, :weight, :confidence, :negated, :modality, :by_model,
        :created_at, :power, :turn_n, :event_at, :event_expression)
ON CONFLICT (src_n, code, dst_n) DO UPDATE
SET weight = {greatest}(edges.weight, excluded.weight),
    confidence = {greatest}(edges.confidence, excluded.confidence),
    negated = excluded.negated,
    modality = excluded.modality,
    by_model = excluded.by_model,
    created_at = {greatest}(edges.created_at, excluded.created_at),
    power = {greatest}(edges.power, excluded.power),
    turn_n = coalesce(excluded.turn_n, edges.turn_n),
    event_at = excluded.event_at,
    event_expression = excluded.event_expression
WHERE excluded.by_model >= edges.by_model;

-- name: degrees
-- Numbers of edges at both ends of an edge.
SELECT (SELECT count(*) FROM edges WHERE +tenant_id = :tenant AND src_n = :src_n AND code = :code)
     + (SELECT count(*) FROM edges WHERE +tenant_id = :tenant AND dst_n = :src_n AND code = :code),
       (SELECT count(*) FROM edges WHERE +tenant_id = :tenant AND src_n = :dst_n AND code = :code)
     + (SELECT count(*) FROM edges WHERE +tenant_id = :tenant AND dst_n = :dst_n AND code = :code);

-- name: weakest
SELECT src_n, dst_n FROM (
    SELECT src_n, dst_n, power FROM edges
    WHERE +tenant_id = :tenant AND src_n = :n AND code = :code
    UNION ALL
    SELECT src_n, dst_n, power FROM (
        SELECT src_n, dst_n, power FROM edges
        WHERE +tenant_id = :tenant AND dst_n = :n AND code = :code
        ORDER BY power, src_n LIMIT :over))
ORDER BY power, src_n, dst_n
LIMIT :over;

-- name: drop
DELETE FROM edges
WHERE +tenant_id = :tenant AND src_n = :src_n AND code = :code AND dst_n = :dst_n;

-- name: drop_out
DELETE FROM edges
WHERE +tenant_id = :tenant AND src_n = :n AND code IN (SELECT value FROM {numbers :codes});

-- name: drop_uses
DELETE FROM name_uses
WHERE node_n IN (SELECT n FROM nodes WHERE n = :n AND +tenant_id = :tenant);

-- name: read_by_model
SELECT EXISTS (SELECT 1 FROM edges WHERE +tenant_id = :tenant AND src_n = :n AND by_model
               AND code IN (SELECT value FROM {numbers :codes}));

-- name: canonical
SELECT coalesce(canonical_n, n) FROM entities WHERE n = :n AND +tenant_id = :tenant;

-- name: unite
UPDATE entities SET canonical_n = :canonical
WHERE n <> :canonical AND +tenant_id = :tenant
  AND (n = :n OR n IN (SELECT n FROM entities WHERE canonical_n = :n));

-- name: part
UPDATE entities SET canonical_n = NULL WHERE n = :n AND +tenant_id = :tenant;

-- name: drop_empty
DELETE FROM nodes
WHERE n = :n AND +tenant_id = :tenant
  AND NOT EXISTS (SELECT 1 FROM entity_names WHERE entity_n = :n)
  AND NOT EXISTS (SELECT 1 FROM entities WHERE canonical_n = :n);

-- name: groups
-- Every entity joined with one of the nodes, with the canonical entity of the group.
SELECT e.n, coalesce(e.canonical_n, e.n) AS canonical
FROM {numbers :ns} w CROSS JOIN entities e ON e.n = w.value
WHERE e.tenant_id = :tenant
UNION
SELECT o.n, o.canonical_n AS canonical
FROM {numbers :ns} w
CROSS JOIN entities e ON e.n = w.value
CROSS JOIN entities o
     ON o.canonical_n = CASE WHEN e.canonical_n IS NULL THEN e.n ELSE e.canonical_n END
WHERE e.tenant_id = :tenant AND +o.tenant_id = :tenant;

-- name: members
-- Every entity joined with an entity among the nodes, with that entity.
SELECT DISTINCT o.n, e.n AS same_as
FROM {numbers :ns} w
CROSS JOIN entities e ON e.n = w.value
CROSS JOIN entities o
     ON o.canonical_n = CASE WHEN e.canonical_n IS NULL THEN e.n ELSE e.canonical_n END
WHERE e.tenant_id = :tenant AND +o.tenant_id = :tenant;

-- name: links
-- An edge between two of the nodes comes twice. An edge without weight is shown and not followed.
SELECT e.src_n, e.code, e.dst_n, e.weight
FROM {numbers :ns} a
CROSS JOIN edges e ON +e.tenant_id = :tenant AND e.src_n = a.value AND e.weight > 0
UNION ALL
SELECT e.src_n, e.code, e.dst_n, e.weight
FROM {numbers :ns} a
CROSS JOIN edges e ON +e.tenant_id = :tenant AND e.dst_n = a.value AND e.weight > 0;

-- name: busy
-- Nodes with more than `:most` edges that are followed, counted no further.
SELECT w.value AS n
FROM {numbers :ns} w
WHERE (SELECT count(*) FROM (
    SELECT 1 FROM edges WHERE +tenant_id = :tenant AND src_n = w.value AND weight > 0
    UNION ALL
    SELECT 1 FROM edges WHERE +tenant_id = :tenant AND dst_n = w.value AND weight > 0
    LIMIT CAST(:most AS BIGINT) + 1)) > :most;

-- name: at_node
SELECT * FROM (
    SELECT 0 AS leads_in, e.* FROM edges e
    WHERE +e.tenant_id = :tenant AND e.src_n IN (SELECT value FROM {numbers :ns})
    UNION ALL
    SELECT 1, e.* FROM edges e
    WHERE +e.tenant_id = :tenant AND e.dst_n IN (SELECT value FROM {numbers :ns}))
ORDER BY leads_in, code, src_n, dst_n;

-- name: seen
-- A memory is seen if its present wording is. Entities all pass: their names decide, see `names`. Each
-- node comes with the node that stands for it.
SELECT n.n, coalesce(e.canonical_n, n.n) AS canonical
FROM {numbers :ns} w
CROSS JOIN nodes n ON n.n = w.value
LEFT JOIN entities e ON n.memory_n IS NULL AND n.turn_n IS NULL AND e.n = n.n
WHERE +n.tenant_id = :tenant
  AND CASE
    WHEN n.memory_n IS NOT NULL THEN EXISTS (
        SELECT 1 FROM memory_versions v JOIN documents d ON d.n = v.n
        WHERE v.memory_n = n.memory_n AND v.valid_to IS NULL AND (:history OR d.current)
          AND {workspace_sees})
    WHEN n.turn_n IS NOT NULL THEN EXISTS (
        SELECT 1 FROM documents d
        WHERE d.n = n.turn_n AND (:history OR d.current) AND (:suppressed OR NOT d.suppressed)
          AND {workspace_sees})
    ELSE TRUE
  END;

-- name: names
-- The names of entities that visible memories and turns use.
SELECT s.entity_n, s.name, s.qualifier
FROM {numbers :ns} w
CROSS JOIN entity_names s ON s.entity_n = w.value
WHERE +s.tenant_id = :tenant
  AND EXISTS (
    SELECT 1 FROM name_uses u
    CROSS JOIN nodes m ON m.n = u.node_n
    LEFT JOIN memory_versions v ON v.memory_n = m.memory_n AND v.valid_to IS NULL
    CROSS JOIN documents d ON d.n = CASE WHEN v.n IS NULL THEN m.turn_n ELSE v.n END
    WHERE u.name_n = s.n AND (:history OR d.current)
      AND {workspace_sees})
ORDER BY s.n;

-- name: count_mentions
-- The number of visible memories and turns that use a name of each entity, or of one joined with it, up
-- to a bound.
SELECT w.value AS n, (SELECT count(*) FROM (
    SELECT DISTINCT u.node_n
    FROM entities o
    CROSS JOIN entity_names s ON s.entity_n = o.n
    CROSS JOIN name_uses u ON u.name_n = s.n
    CROSS JOIN nodes m ON m.n = u.node_n
    LEFT JOIN memory_versions v ON v.memory_n = m.memory_n AND v.valid_to IS NULL
    CROSS JOIN documents d ON d.n = CASE WHEN v.n IS NULL THEN m.turn_n ELSE v.n END
    WHERE (o.n = w.value OR o.canonical_n = w.value)
      AND +s.tenant_id = :tenant AND (:history OR d.current)
      AND {workspace_sees}
    LIMIT :most)) AS mentions
FROM {numbers :ns} w;

-- name: naming
-- Visible memories and turns that are linked with each entity, of either some with the strongest links,
-- the newest first among equals.
SELECT entity_n, n FROM (
    SELECT w.value AS entity_n, m.n, max(e.weight) AS weight,
           row_number() OVER (PARTITION BY w.value, m.memory_n IS NULL
                              ORDER BY max(e.weight) DESC, m.n DESC) AS place
    FROM {numbers :ns} w
    CROSS JOIN edges e ON +e.tenant_id = :tenant AND e.dst_n = w.value
    CROSS JOIN nodes m ON m.n = e.src_n AND (m.memory_n IS NOT NULL OR m.turn_n IS NOT NULL)
    LEFT JOIN memory_versions v ON v.memory_n = m.memory_n AND v.valid_to IS NULL
    CROSS JOIN documents d ON d.n = CASE WHEN v.n IS NULL THEN m.turn_n ELSE v.n END
    WHERE (:history OR d.current) AND {workspace_sees}
    GROUP BY w.value, m.n, m.memory_n)
WHERE place <= :each
ORDER BY entity_n, weight DESC, n DESC;

-- name: leading_out
-- Links of some types from nodes to others, those to given nodes first, then the strongest.
SELECT e.src_n, e.code, e.dst_n
FROM {numbers :ns} a
CROSS JOIN edges e ON +e.tenant_id = :tenant AND e.src_n = a.value
WHERE e.code IN (SELECT value FROM {numbers :codes})
ORDER BY CASE WHEN e.dst_n IN (SELECT value FROM {numbers :first}) THEN 0 ELSE 1 END,
         e.weight DESC, e.src_n, e.code, e.dst_n
LIMIT :limit;

-- name: entities
SELECT e.n, e.id, e.kind, c.id AS canonical_id
FROM {numbers :ns} w CROSS JOIN entities e ON e.n = w.value
LEFT JOIN entities c ON c.n = e.canonical_n
WHERE e.tenant_id = :tenant;

-- name: keyed
SELECT DISTINCT coalesce(e.canonical_n, e.n) AS n
FROM {texts :keys} w
CROSS JOIN entity_names s ON s.tenant_id = :tenant AND s.key = w.value
JOIN entities e ON e.n = s.entity_n
ORDER BY 1;

-- name: called
-- Entities by the names that visible memories use, the longest name last. Names that turns alone use
-- are left out: a search finds these turns by their words.
SELECT coalesce(e.canonical_n, e.n) AS n, s.key
FROM {texts :keys} w
CROSS JOIN entity_names s ON s.tenant_id = :tenant AND s.key = w.value
CROSS JOIN entities e ON e.n = s.entity_n
WHERE EXISTS (
    SELECT 1 FROM name_uses u
    CROSS JOIN nodes m ON m.n = u.node_n
    CROSS JOIN memory_versions v ON v.memory_n = m.memory_n AND v.valid_to IS NULL
    CROSS JOIN documents d ON d.n = v.n
    WHERE u.name_n = s.n AND (:history OR d.current)
      AND {workspace_sees})
ORDER BY length(s.key), s.key, n;

-- name: beginning
-- An entity stands at the first of its names. Each name is asked whether it is: so the list stops at
-- the limit.
SELECT coalesce(e.canonical_n, e.n) AS n
FROM entity_names s CROSS JOIN entities e ON e.n = s.entity_n
WHERE s.tenant_id = :tenant AND s.key >= :first AND s.key < :beyond
  AND NOT EXISTS (
      SELECT 1 FROM entities x CROSS JOIN entity_names o ON o.entity_n = x.n
      WHERE (x.n = CASE WHEN e.canonical_n IS NULL THEN e.n ELSE e.canonical_n END
             OR x.canonical_n = CASE WHEN e.canonical_n IS NULL THEN e.n ELSE e.canonical_n END)
        AND o.key >= :first
        AND (o.key, o.qualifier, o.entity_n) < (s.key, s.qualifier, s.entity_n))
ORDER BY s.key, s.qualifier, s.entity_n
LIMIT :limit;

-- name: listed
-- Names in order, each with the entities that go by it.
SELECT s.key, e.id, coalesce(e.canonical_n, e.n) AS n
FROM entity_names s CROSS JOIN entities e ON e.n = s.entity_n
WHERE s.tenant_id = :tenant AND s.key >= :first AND s.key < :beyond
  AND (s.key > :key OR e.id > :id)
ORDER BY s.key, e.id
LIMIT :limit;

-- name: referents
SELECT n.n, m.id AS memory_id, t.id AS turn_id, e.id AS entity_id
FROM {numbers :ns} w
CROSS JOIN nodes n ON n.n = w.value
LEFT JOIN memories m ON m.n = n.memory_n
LEFT JOIN turns t ON t.n = n.turn_n
LEFT JOIN entities e ON e.n = n.n
WHERE +n.tenant_id = :tenant;

-- name: turn_ids
SELECT n, id FROM turns WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant;

-- name: of_documents
-- Turns without an edge that is followed are left out.
SELECT t.turn_n AS document_n, t.n
FROM {numbers :ns} w CROSS JOIN nodes t ON t.turn_n = w.value
WHERE +t.tenant_id = :tenant
  AND (EXISTS (SELECT 1 FROM edges WHERE +tenant_id = :tenant AND dst_n = t.n AND weight > 0)
       OR EXISTS (SELECT 1 FROM edges WHERE +tenant_id = :tenant AND src_n = t.n AND weight > 0))
UNION ALL
SELECT v.n, m.n
FROM {numbers :ns} w
CROSS JOIN memory_versions v ON v.n = w.value
CROSS JOIN nodes m ON m.memory_n = v.memory_n
WHERE +m.tenant_id = :tenant;

-- name: documents
SELECT n.n, coalesce(n.turn_n, v.n) AS document_n
FROM {numbers :ns} w
CROSS JOIN nodes n ON n.n = w.value
LEFT JOIN memory_versions v ON v.memory_n = n.memory_n AND v.valid_to IS NULL
WHERE +n.tenant_id = :tenant AND coalesce(n.turn_n, v.n) IS NOT NULL;

-- name: predecessor
SELECT m.id
FROM memories me
JOIN memory_versions mine ON mine.memory_n = me.n AND mine.valid_to IS NULL
JOIN turns here ON here.n = mine.turn_n
CROSS JOIN turns t ON t.session_n = here.session_n
     AND t.turn_index BETWEEN here.turn_index - :reach AND here.turn_index
CROSS JOIN memory_versions v ON v.turn_n = t.n AND v.valid_to IS NULL
CROSS JOIN memories m ON m.n = v.memory_n
WHERE me.id = :id AND +me.tenant_id = :tenant AND m.n < me.n
  AND (m.type IN {conversation_summaries}) = (me.type IN {conversation_summaries})
ORDER BY t.turn_index DESC, m.n DESC
LIMIT 1;

-- name: evidence_to_transfer
-- Evidence of merged memories that the surviving memory lacks.
SELECT e.src_n, e.code, e.dst_n, s.n AS heir, m.n
FROM memories m
CROSS JOIN memories o ON o.n = m.merged_into AND o.validity = 'active'
CROSS JOIN nodes x ON x.memory_n = m.n
CROSS JOIN nodes s ON s.memory_n = o.n
CROSS JOIN edges e ON e.src_n = x.n AND e.code IN ({SUPPORTS}, {DERIVED_FROM})
WHERE m.merged_into IS NOT NULL AND +m.tenant_id = :tenant AND m.validity <> 'active'
  AND e.dst_n <> s.n
  AND NOT EXISTS (SELECT 1 FROM edges f
                  WHERE f.src_n = s.n AND f.code = e.code AND f.dst_n = e.dst_n)
ORDER BY e.src_n, e.code, e.dst_n;

-- name: transfer
INSERT INTO edges
SELECT tenant_id, :heir, code, dst_n, weight, confidence, negated, modality, by_model, created_at,
       power, turn_n, event_at, event_expression
FROM edges
WHERE src_n = :src AND code = :code AND dst_n = :dst AND +tenant_id = :tenant
  AND EXISTS (SELECT 1 FROM nodes h WHERE h.n = :heir AND +h.tenant_id = :tenant)
ON CONFLICT DO NOTHING;
