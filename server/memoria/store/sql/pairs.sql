-- Pairs of similar memories. A model has judged a pair if its SIMILAR_TO edge is `by_model`. For
-- +tenant_id see conversations.sql.

-- name: alike
SELECT e.src_n, e.dst_n, e.weight, v.n AS one, w.n AS other
FROM edges e
CROSS JOIN nodes a ON a.n = e.src_n
CROSS JOIN memories m ON m.n = a.memory_n
CROSS JOIN nodes b ON b.n = e.dst_n
CROSS JOIN memories o ON o.n = b.memory_n
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN memory_versions w ON w.memory_n = o.n AND w.valid_to IS NULL
WHERE +e.tenant_id = :tenant AND e.code = {SIMILAR_TO} AND NOT e.by_model AND e.weight >= :least
  AND e.src_n >= :src AND (e.src_n, e.dst_n) > (:src, :dst)
  AND m.validity = 'active' AND o.validity = 'active' AND m.flag IS NULL AND o.flag IS NULL
  AND m.type = o.type AND m.type NOT IN {derived_types}
  AND CASE WHEN m.scope = 'project' THEN m.workspace_n END {is} CASE WHEN o.scope = 'project' THEN o.workspace_n END
  AND (m.task {is} o.task OR m.type NOT IN {guiding_types} AND (m.task IS NULL OR o.task IS NULL))
  AND NOT (m.verified AND o.verified)
  AND m.merged_into {is_not} o.n AND o.merged_into {is_not} m.n
  AND (:since IS NULL OR e.created_at > :since OR m.updated_at > :since OR o.updated_at > :since)
ORDER BY e.src_n, e.dst_n LIMIT :limit;

-- name: wordings
SELECT v.n, v.content, m.updated_at > :since AS changed, m.type,
       CASE WHEN m.scope = 'project' THEN m.workspace_n END AS place
FROM memory_versions v CROSS JOIN memories m ON m.n = v.memory_n
WHERE v.n > :after AND +v.tenant_id = :tenant AND v.valid_to IS NULL
  AND m.validity = 'active' AND m.flag IS NULL AND m.type NOT IN {derived_types}
ORDER BY v.n LIMIT :limit;

-- name: any_changed
SELECT EXISTS (SELECT 1 FROM memories
               WHERE tenant_id = :tenant AND updated_at > :since AND validity = 'active');

-- name: merged
SELECT m.id, o.id AS into_id
FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value
CROSS JOIN memories o ON o.n = m.merged_into
WHERE +m.tenant_id = :tenant;

-- name: successions
-- Memories whose place another of the same list has taken.
SELECT m.id, o.id AS successor_id
FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
CROSS JOIN nodes a ON a.memory_n = m.n
CROSS JOIN edges e ON e.src_n = a.n AND e.code = {VERSION_NEXT}
CROSS JOIN nodes b ON b.n = e.dst_n
CROSS JOIN memories o ON o.n = b.memory_n
WHERE o.id IN (SELECT value FROM {texts :ids});

-- name: merged_into
SELECT o.id FROM memories m CROSS JOIN memories o ON o.merged_into = m.n
WHERE m.id = :id AND +m.tenant_id = :tenant AND o.validity <> 'active'
ORDER BY o.n;

-- name: gather
INSERT INTO memory_evidence (tenant_id, memory_n, turn_n, quote, ingested_at)
-- Evidence of former wordings, which say something else, is left out.
SELECT m.tenant_id, m.n, e.turn_n, e.quote, {greatest}(e.ingested_at, c.ingested_at)
FROM memories m
CROSS JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL
CROSS JOIN memories o ON o.id = :other AND +o.tenant_id = :tenant
CROSS JOIN memory_versions p ON p.memory_n = o.n AND p.valid_to IS NULL
CROSS JOIN memory_evidence e ON e.memory_n = o.n AND {wording_borne_out} = p.version
WHERE m.id = :id AND +m.tenant_id = :tenant
  AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.memory_n = m.n AND v.turn_n = e.turn_n)
  AND NOT EXISTS (SELECT 1 FROM memory_evidence y WHERE y.memory_n = m.n AND y.turn_n = e.turn_n)
ORDER BY e.turn_n LIMIT :limit;

-- name: gather_wording
-- Turns of former wordings, which said something else, are left out.
INSERT INTO memory_evidence (tenant_id, memory_n, turn_n, quote, ingested_at)
SELECT m.tenant_id, m.n, x.turn_n, coalesce(x.quote, ''), {greatest}(x.ingested_at, c.ingested_at)
FROM memories m
CROSS JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL
CROSS JOIN memories o ON o.id = :other AND +o.tenant_id = :tenant
CROSS JOIN memory_versions x ON x.memory_n = o.n AND x.valid_to IS NULL
WHERE m.id = :id AND +m.tenant_id = :tenant AND x.turn_n IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.memory_n = m.n AND v.turn_n = x.turn_n)
  AND NOT EXISTS (SELECT 1 FROM memory_evidence e WHERE e.memory_n = m.n AND e.turn_n = x.turn_n);

-- name: take_in
UPDATE memories AS m
SET confidence = :confidence,
    importance = {greatest}(m.importance, o.importance),
    pinned = {greatest}(m.pinned, o.pinned),
    subject = coalesce(m.subject, o.subject),
    predicate = coalesce(m.predicate, o.predicate),
    task = coalesce(m.task, o.task)
FROM memories AS o
WHERE m.id = :id AND +m.tenant_id = :tenant AND o.id = :other AND +o.tenant_id = :tenant;

-- name: memory_number
SELECT n FROM memories WHERE id = :id AND +tenant_id = :tenant;

-- name: vouch
UPDATE memory_versions SET trust = :trust
WHERE memory_n = (SELECT n FROM memories WHERE id = :id AND +tenant_id = :tenant)
  AND valid_to IS NULL;

-- name: note_merged
UPDATE memories
SET merged_into = (SELECT n FROM memories WHERE id = :other AND +tenant_id = :tenant)
WHERE id = :id AND +tenant_id = :tenant;

-- name: keep_apart
UPDATE edges SET by_model = TRUE
WHERE +tenant_id = :tenant AND code = {SIMILAR_TO}
  AND src_n = (SELECT n.n FROM memories m JOIN nodes n ON n.memory_n = m.n
               WHERE m.id = :src AND +m.tenant_id = :tenant)
  AND dst_n = (SELECT n.n FROM memories m JOIN nodes n ON n.memory_n = m.n
               WHERE m.id = :dst AND +m.tenant_id = :tenant);

-- name: distinct_from
SELECT v.n AS wording, w.n
FROM {numbers :ns} listed
CROSS JOIN memory_versions v ON v.n = listed.value AND +v.tenant_id = :tenant
CROSS JOIN nodes a ON a.memory_n = v.memory_n
CROSS JOIN edges e ON e.src_n = a.n AND e.code = {SIMILAR_TO} AND e.by_model
CROSS JOIN nodes b ON b.n = e.dst_n
CROSS JOIN memory_versions w ON w.memory_n = b.memory_n AND w.valid_to IS NULL;
