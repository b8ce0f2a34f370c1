-- What rests on what. Code 8 is DERIVED_FROM, code 9 REFERS_TO: a derived memory may have words of
-- what its model was shown without quoting it, so that it falls with that too. Codes 2, 3 and 21 to 29 lead from a memory to an entity
-- that it names. A plus before a column (+tenant_id) keeps the planner from using an index on it; see
-- memories.sql.

-- name: by_evidence
WITH gone (n) AS MATERIALIZED (SELECT value FROM {numbers :ns}),
touched (memory_n) AS (
    SELECT v.memory_n FROM gone
    CROSS JOIN memory_versions v ON v.turn_n = gone.n AND +v.tenant_id = :tenant
    UNION
    SELECT e.memory_n FROM gone
    CROSS JOIN memory_evidence e ON e.turn_n = gone.n AND +e.tenant_id = :tenant)
SELECT m.id, c.inferred_by = 'statement' AS is_stated,
       EXISTS (SELECT 1 FROM memory_versions v
               WHERE v.memory_n = m.n AND v.turn_n IN (SELECT n FROM gone)) AS is_drawn_from,
       (c.turn_n IS NOT NULL AND c.turn_n NOT IN (SELECT n FROM gone))
       OR EXISTS (SELECT 1 FROM memory_evidence e
                  WHERE e.memory_n = m.n AND e.turn_n NOT IN (SELECT n FROM gone)
                    AND {wording_borne_out} = c.version)
       AS has_other_source
FROM touched
CROSS JOIN memories m ON m.n = touched.memory_n
CROSS JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL;

-- name: unsupported_wordings
-- Former wordings that were concluded from these turns, or lost theirs before, and that no other turn
-- bears out.
WITH gone (n) AS MATERIALIZED (SELECT value FROM {numbers :ns}),
touched (memory_n) AS (
    SELECT v.memory_n FROM gone
    CROSS JOIN memory_versions v ON v.turn_n = gone.n AND +v.tenant_id = :tenant
    UNION
    SELECT e.memory_n FROM gone
    CROSS JOIN memory_evidence e ON e.turn_n = gone.n AND +e.tenant_id = :tenant)
SELECT v.n, m.id
FROM touched
CROSS JOIN memories m ON m.n = touched.memory_n
CROSS JOIN memory_versions v ON v.memory_n = m.n
WHERE v.valid_to IS NOT NULL AND v.inferred_by <> 'statement' AND v.channel <> 'night'
  AND (v.turn_n IS NULL OR v.turn_n IN (SELECT n FROM gone))
  AND NOT EXISTS (SELECT 1 FROM memory_evidence e
                  WHERE e.memory_n = m.n AND e.turn_n NOT IN (SELECT n FROM gone)
                    AND {wording_borne_out} = v.version)
ORDER BY v.n;

-- name: by_derivation
SELECT d.id
FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
CROSS JOIN nodes t ON t.memory_n = m.n
CROSS JOIN edges e ON e.dst_n = t.n AND e.code IN ({DERIVED_FROM}, {REFERS_TO})
CROSS JOIN nodes s ON s.n = e.src_n AND s.memory_n IS NOT NULL
CROSS JOIN memories d ON d.n = s.memory_n
WHERE e.code = {DERIVED_FROM} OR EXISTS (SELECT 1 FROM memory_versions f
                            WHERE f.memory_n = d.n AND f.version = 1 AND f.channel = 'night')
UNION
SELECT d.id
FROM {numbers :ns} w
CROSS JOIN turns t ON t.n = w.value AND +t.tenant_id = :tenant
CROSS JOIN memory_evidence x ON x.turn_n = t.n
CROSS JOIN memory_versions f ON f.memory_n = x.memory_n AND f.version = 1 AND f.channel = 'night'
CROSS JOIN memories d ON d.n = x.memory_n;

-- name: by_correction
-- A correction awaits confirmation to take the place of the memories, or was archived while waiting; it
-- rests on no turn, and contradicts no other memory that holds.
SELECT DISTINCT p.id
FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
CROSS JOIN nodes t ON t.memory_n = m.n
CROSS JOIN edges e ON (e.src_n = t.n AND e.code = {CONTRADICTS}) OR (e.dst_n = t.n AND e.code = {CONTRADICTS})
CROSS JOIN nodes s ON s.n = CASE t.n WHEN e.src_n THEN e.dst_n ELSE e.src_n END
CROSS JOIN memories p ON p.n = s.memory_n
WHERE p.validity IN ('pending_confirmation', 'archived') AND p.flag IN ('conflict', 'review')
  AND NOT p.verified
  AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.memory_n = p.n AND v.turn_n IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM memory_evidence x WHERE x.memory_n = p.n)
  AND NOT EXISTS (
      SELECT 1 FROM edges o
      CROSS JOIN nodes k ON k.n = CASE s.n WHEN o.src_n THEN o.dst_n ELSE o.src_n END
      CROSS JOIN memories other ON other.n = k.memory_n
      WHERE ((o.src_n = s.n AND o.code = {CONTRADICTS}) OR (o.dst_n = s.n AND o.code = {CONTRADICTS}))
        AND other.validity NOT IN ('pending_confirmation', 'archived')
        AND other.id NOT IN (SELECT value FROM {texts :ids}));

-- name: by_coverage
SELECT DISTINCT m.id
FROM {numbers :ns} w
CROSS JOIN turns t ON t.n = w.value AND +t.tenant_id = :tenant
CROSS JOIN episodes e ON e.session_n = t.session_n
           AND t.turn_index BETWEEN e.first_index AND e.last_index
CROSS JOIN memories m ON m.n = e.memory_n;

-- name: orphan_memories
-- Conclusions with no turn, no source and no summed-up turn left. A memory that a nightly run derived may
-- lose its sources to the purge; while it is active and nobody has decided about it, it counts.
SELECT m.id,
       CASE WHEN p.memory_n IS NOT NULL THEN 'episode'
            WHEN f.channel = 'night' THEN 'derived memory'
            ELSE 'memory' END AS kind
FROM memories m
JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL
LEFT JOIN memory_versions f ON f.memory_n = m.n AND f.version = 1
LEFT JOIN episodes p ON p.memory_n = m.n
WHERE m.tenant_id = :tenant AND c.inferred_by <> 'statement'
  AND CASE WHEN p.memory_n IS NOT NULL THEN NOT EXISTS (
        SELECT 1 FROM turns t JOIN documents d ON d.n = t.n AND NOT d.suppressed
        WHERE t.session_n = p.session_n AND t.turn_index BETWEEN p.first_index AND p.last_index)
      ELSE NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = c.turn_n)
       AND NOT EXISTS (SELECT 1 FROM memory_evidence e JOIN turns t ON t.n = e.turn_n
                       WHERE e.memory_n = m.n
                         AND (f.channel = 'night' OR {wording_borne_out} = c.version))
       AND NOT EXISTS (SELECT 1 FROM nodes s
                       JOIN edges e ON e.src_n = s.n AND e.code = {DERIVED_FROM}
                       JOIN nodes o ON o.n = e.dst_n
                       JOIN memories x ON x.n = o.memory_n
                       WHERE s.memory_n = m.n)
       AND (f.channel {is_not} 'night'
            OR m.validity = 'active' AND NOT m.pinned AND NOT m.verified)
      END
ORDER BY m.n;

-- name: orphan_wordings
SELECT m.id, v.n AS number
FROM memory_versions v JOIN memories m ON m.n = v.memory_n
WHERE v.tenant_id = :tenant AND v.valid_to IS NOT NULL AND v.inferred_by <> 'statement'
  AND v.channel <> 'night' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = v.turn_n)
  AND NOT EXISTS (SELECT 1 FROM memory_evidence e JOIN turns t ON t.n = e.turn_n
                  WHERE e.memory_n = m.n AND {wording_borne_out} = v.version)
ORDER BY v.n;

-- name: orphan_core_lines
SELECT file || ' ' || mark AS id FROM core_lines l
WHERE tenant_id = :tenant AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.n = l.memory_n)
ORDER BY file, mark;

-- name: orphan_entries
SELECT q.id FROM extraction_queue q
WHERE q.tenant_id = :tenant AND q.state IN ('waiting', 'dead')
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_n = q.session_n
                  AND t.turn_index BETWEEN q.first_index AND q.last_index)
ORDER BY q.n;

-- name: drop_entries
UPDATE extraction_queue
SET state = 'dropped', finished_at = :now, lease_owner = NULL, lease_until = 0, last_error = NULL
WHERE tenant_id = :tenant AND state IN ('waiting', 'dead')
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_n = extraction_queue.session_n
                  AND t.turn_index BETWEEN extraction_queue.first_index
                                       AND extraction_queue.last_index);

-- name: orphan_edges
-- One of its ends is gone, or the turn it was read in, or it leads to an entity that the memory or
-- turn does not name.
SELECT e.src_n || '-' || e.code || '-' || e.dst_n AS id
FROM edges e
LEFT JOIN nodes s ON s.n = e.src_n
LEFT JOIN nodes d ON d.n = e.dst_n
WHERE e.tenant_id = :tenant
  AND (s.n IS NULL OR d.n IS NULL
       OR s.memory_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.n = s.memory_n)
       OR d.memory_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.n = d.memory_n)
       OR s.turn_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = s.turn_n)
       OR d.turn_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = d.turn_n)
       OR e.turn_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = e.turn_n)
       OR e.code IN {extracted_edges} AND coalesce(s.memory_n, s.turn_n) IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM name_uses u JOIN entity_names a ON a.n = u.name_n
                          WHERE u.node_n = e.src_n AND a.entity_n = e.dst_n))
ORDER BY e.src_n, e.code, e.dst_n;

-- name: delete_core_lines
DELETE FROM core_lines
WHERE tenant_id = :tenant
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.n = core_lines.memory_n);

-- name: delete_edges
DELETE FROM edges
WHERE tenant_id = :tenant
  AND (NOT EXISTS (SELECT 1 FROM nodes s WHERE s.n = edges.src_n)
       OR NOT EXISTS (SELECT 1 FROM nodes d WHERE d.n = edges.dst_n)
       OR EXISTS (SELECT 1 FROM nodes x
                  WHERE x.n IN (edges.src_n, edges.dst_n) AND x.memory_n IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.n = x.memory_n))
       OR EXISTS (SELECT 1 FROM nodes x
                  WHERE x.n IN (edges.src_n, edges.dst_n) AND x.turn_n IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = x.turn_n))
       OR turn_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = edges.turn_n)
       OR code IN {extracted_edges}
          AND EXISTS (SELECT 1 FROM nodes s
                      WHERE s.n = edges.src_n AND coalesce(s.memory_n, s.turn_n) IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM name_uses u JOIN entity_names a ON a.n = u.name_n
                          WHERE u.node_n = edges.src_n AND a.entity_n = edges.dst_n));

-- name: existing
SELECT m.id FROM {texts :ids} w CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
UNION
SELECT t.id FROM {texts :ids} w CROSS JOIN turns t ON t.id = w.value AND +t.tenant_id = :tenant
UNION
SELECT q.id FROM {texts :ids} w
CROSS JOIN extraction_queue q ON q.id = w.value AND +q.tenant_id = :tenant
UNION
SELECT s.session_id FROM {texts :ids} w
CROSS JOIN sessions s ON s.tenant_id = :tenant AND s.session_id = w.value;

-- name: unsupported_joins
-- Entities that a model alone has joined ("Elizabeth, whom we call Liz"), without a common name left.
SELECT e.id FROM entities e
WHERE e.tenant_id = :tenant AND e.canonical_n IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM entity_names s
                  CROSS JOIN entity_names o ON o.tenant_id = s.tenant_id AND o.key = s.key
                        AND o.entity_n <> s.entity_n
                  CROSS JOIN entities x ON x.n = o.entity_n
                        AND e.canonical_n IN (x.n, x.canonical_n)
                  WHERE s.entity_n = e.n)
  AND (SELECT max(CASE WHEN a.channel <> 'extraction' THEN 1 ELSE 0 END)
       FROM entities x CROSS JOIN audit_log a ON a.tenant_id = :tenant AND a.subject = x.id
       WHERE x.tenant_id = :tenant AND e.canonical_n IN (x.n, x.canonical_n)
         AND a.action = 'join entity' AND e.id IN (a.subject, a.detail)) = 0
ORDER BY e.n;

-- name: planned_items
SELECT p.item FROM nightly_plan p JOIN nightly_runs r ON r.n = p.run_n AND r.tenant_id = :tenant
ORDER BY p.run_n, p.step, p.ordinal;

-- name: drop_edges
DELETE FROM edges
WHERE +tenant_id = :tenant AND code IN {extracted_edges}
  AND src_n IN (SELECT n.n FROM {texts :ids} w
                CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
                CROSS JOIN nodes n ON n.memory_n = m.n)
  AND NOT EXISTS (SELECT 1 FROM name_uses u JOIN entity_names a ON a.n = u.name_n
                  WHERE u.node_n = edges.src_n AND a.entity_n = edges.dst_n);
