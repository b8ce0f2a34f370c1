-- A derived memory is one whose first wording came by the channel `night`. It has DERIVED_FROM edges
-- to the sources that it quotes, and REFERS_TO edges to other memories that its model was shown. For
-- +tenant_id see conversations.sql.

-- name: candidates
SELECT m.n, m.id, v.n AS wording, v.content, m.type,
       CASE WHEN m.scope = 'project' THEN m.workspace_n END AS workspace_n,
       CASE WHEN m.type IN {guiding_types} THEN m.task END AS task, m.subject, m.predicate,
       m.confidence, m.updated_at
FROM memories m
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
WHERE m.n > :after AND +m.tenant_id = :tenant AND m.validity = 'active' AND m.flag IS NULL
  AND m.expires_at IS NULL AND m.type NOT IN {derived_types}
  AND NOT EXISTS (SELECT 1 FROM memory_versions f
                  WHERE f.memory_n = m.n AND f.version = 1 AND f.channel = 'night')
ORDER BY m.n LIMIT :limit;

-- name: similar_pairs
-- Each edge once: it is kept from the smaller node to the greater.
SELECT a.memory_n AS one, b.memory_n AS other, e.weight
FROM {numbers :ns} w
CROSS JOIN nodes a ON a.memory_n = w.value AND +a.tenant_id = :tenant
CROSS JOIN edges e ON e.src_n = a.n AND e.code = {SIMILAR_TO}
CROSS JOIN nodes b ON b.n = e.dst_n AND b.memory_n IS NOT NULL
ORDER BY one, other;

-- name: entities
-- Codes 2 and 3 are ABOUT and MENTIONS.
SELECT DISTINCT a.memory_n, coalesce(x.canonical_n, x.n) AS entity_n
FROM {numbers :ns} w
CROSS JOIN nodes a ON a.memory_n = w.value AND +a.tenant_id = :tenant
CROSS JOIN edges e ON e.src_n = a.n AND e.code IN ({ABOUT}, {MENTIONS})
CROSS JOIN entities x ON x.n = e.dst_n
ORDER BY a.memory_n, entity_n;

-- name: occasions
SELECT m.n AS memory_n, 's' || t.session_n AS conversation,
       's' || t.session_n || ' ' || coalesce(t.speaker, t.role) AS source
FROM {numbers :ns} w
CROSS JOIN memories m ON m.n = w.value AND +m.tenant_id = :tenant
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN turns t ON t.n = v.turn_n
UNION
SELECT m.n, 's' || t.session_n, 's' || t.session_n || ' ' || coalesce(t.speaker, t.role)
FROM {numbers :ns} w
CROSS JOIN memories m ON m.n = w.value AND +m.tenant_id = :tenant
CROSS JOIN memory_evidence x ON x.memory_n = m.n
CROSS JOIN turns t ON t.n = x.turn_n
UNION
SELECT m.n, 'd' || (v.valid_from / 86400000), 'd' || (v.valid_from / 86400000) || ' ' || v.channel
FROM {numbers :ns} w
CROSS JOIN memories m ON m.n = w.value AND +m.tenant_id = :tenant
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
WHERE v.turn_n IS NULL AND NOT EXISTS (SELECT 1 FROM memory_evidence x WHERE x.memory_n = m.n);

-- name: user_statement_times
SELECT m.n AS memory_n, coalesce(v.event_at, t.at) AS at, t.utc_offset
FROM {numbers :ns} w
CROSS JOIN memories m ON m.n = w.value AND +m.tenant_id = :tenant
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN turns t ON t.n = v.turn_n AND t.role = 'user'
UNION
SELECT m.n, t.at, t.utc_offset
FROM {numbers :ns} w
CROSS JOIN memories m ON m.n = w.value AND +m.tenant_id = :tenant
CROSS JOIN memory_evidence x ON x.memory_n = m.n
CROSS JOIN turns t ON t.n = x.turn_n AND t.role = 'user'
ORDER BY 1, 2;

-- name: derived
SELECT m.n, m.id
FROM memories m CROSS JOIN memory_versions f ON f.memory_n = m.n AND f.version = 1
WHERE m.n > :after AND +m.tenant_id = :tenant AND f.channel = 'night'
ORDER BY m.n LIMIT :limit;

-- name: sources
-- A source that was merged or replaced stands with the memories that it was merged into or replaced by.
WITH RECURSIVE led (derived_n, since, n, current, quoted) AS (
    SELECT d.n, v.ingested_at, t.memory_n, CASE WHEN e.created_at >= v.ingested_at THEN 1 ELSE 0 END,
           CASE e.code WHEN {DERIVED_FROM} THEN 1 ELSE 0 END
    FROM {texts :ids} w
    CROSS JOIN memories d ON d.id = w.value AND +d.tenant_id = :tenant
    CROSS JOIN memory_versions v ON v.memory_n = d.n AND v.valid_to IS NULL
    CROSS JOIN nodes s ON s.memory_n = d.n
    CROSS JOIN edges e ON e.src_n = s.n AND e.code IN ({DERIVED_FROM}, {REFERS_TO})
    CROSS JOIN nodes t ON t.n = e.dst_n AND t.memory_n IS NOT NULL
    WHERE e.code = {DERIVED_FROM} OR EXISTS (SELECT 1 FROM memory_versions f
                                WHERE f.memory_n = d.n AND f.version = 1 AND f.channel = 'night')
    UNION
    SELECT l.derived_n, l.since, CASE WHEN way.is_next THEN t.memory_n ELSE m.merged_into END,
           l.current, l.quoted
    {step_on})
SELECT d.id AS derived, m.n, m.id, max(l.current) AS current,
       max(l.quoted * l.current) AS quoted,
       m.validity = 'active' AND m.flag IS NULL AND v.ingested_at <= l.since AS valid
FROM led l
CROSS JOIN memories d ON d.n = l.derived_n
CROSS JOIN memories m ON m.n = l.n
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
GROUP BY d.n, m.n, v.n, l.since ORDER BY d.n, m.n;

-- name: changed_sources
-- `origin_n`: a quoted source. `n`: the source, the memory it was merged into, or the memory that took its
-- place. VERSION_NEXT has a date (event_at) if the successor says something else.
WITH RECURSIVE led (derived_n, since, origin_n, n, replaced_at) AS (
    SELECT d.n, v.ingested_at, t.memory_n, t.memory_n, CAST(0 AS BIGINT)
    FROM {texts :ids} w
    CROSS JOIN memories d ON d.id = w.value AND +d.tenant_id = :tenant
    CROSS JOIN memory_versions v ON v.memory_n = d.n AND v.valid_to IS NULL
    CROSS JOIN nodes s ON s.memory_n = d.n
    CROSS JOIN edges e ON e.src_n = s.n AND e.code = {DERIVED_FROM} AND e.created_at >= v.ingested_at
    CROSS JOIN nodes t ON t.n = e.dst_n AND t.memory_n IS NOT NULL
    UNION
    SELECT l.derived_n, l.since, l.origin_n,
           CASE WHEN way.is_next THEN t.memory_n ELSE m.merged_into END,
           CASE WHEN way.is_next THEN e.created_at ELSE l.replaced_at END
    {step_on} AND (e.event_at IS NOT NULL OR NOT way.is_next))
SELECT d.id AS derived, m.id, b.content AS before,
       CASE m.validity WHEN 'active' THEN c.content ELSE '' END AS after,
       {greatest}(l.replaced_at, c.ingested_at) AS changed_at
FROM led l
CROSS JOIN memories d ON d.n = l.derived_n
CROSS JOIN memories m ON m.n = l.n
CROSS JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL
CROSS JOIN memory_versions b ON b.memory_n = l.origin_n
      AND b.version = (SELECT max(x.version) FROM memory_versions x
                       WHERE x.memory_n = l.origin_n AND (x.ingested_at <= l.since OR x.version = 1))
WHERE CASE m.validity WHEN 'active' THEN l.replaced_at > l.since OR c.ingested_at > l.since
           WHEN 'superseded' THEN m.merged_into IS NULL AND m.updated_at > l.since
                AND NOT EXISTS (SELECT 1 FROM nodes s
                                CROSS JOIN edges e ON e.src_n = s.n AND e.code = {VERSION_NEXT}
                                      AND e.event_at IS NOT NULL
                                WHERE s.memory_n = m.n)
           ELSE m.validity = 'contradicted' END
ORDER BY d.n, m.n;

-- name: spans
SELECT d.id AS derived, c.ingested_at AS since, p.session_n, p.first_index, p.last_index
FROM {texts :ids} w
CROSS JOIN memories d ON d.id = w.value AND +d.tenant_id = :tenant
CROSS JOIN episodes p ON p.memory_n = d.n
CROSS JOIN memory_versions c ON c.memory_n = d.n AND c.valid_to IS NULL;

-- name: changed_turns
-- Memories concluded from the turns of a span, or repeated in them, that were changed by something said
-- outside of the span: whoever sums up the span sees its turns only. A merge into a memory that says
-- the same is no change, nor is a wording that adds detail (`refine` in the log) or that held before
-- (`past`).
WITH RECURSIVE span (derived, since, session_n, first_index, last_index) AS MATERIALIZED (
    SELECT w.value ->> 'derived', CAST(w.value ->> 'since' AS BIGINT),
           CAST(w.value ->> 'session_n' AS BIGINT), CAST(w.value ->> 'first_index' AS BIGINT),
           CAST(w.value ->> 'last_index' AS BIGINT)
    FROM {lists :spans} w),
said (derived, origin_n, said_at) AS (
    SELECT p.derived, v.memory_n, v.ingested_at
    FROM span p
    CROSS JOIN turns t ON t.session_n = p.session_n AND +t.tenant_id = :tenant
          AND t.turn_index BETWEEN p.first_index AND p.last_index
    CROSS JOIN memory_versions v ON v.turn_n = t.n
    UNION
    SELECT p.derived, x.memory_n, x.ingested_at
    FROM span p
    CROSS JOIN turns t ON t.session_n = p.session_n AND +t.tenant_id = :tenant
          AND t.turn_index BETWEEN p.first_index AND p.last_index
    CROSS JOIN memory_evidence x ON x.turn_n = t.n),
led (derived, origin_n, said_at, n, known_at, replaced_at) AS (
    SELECT s.derived, s.origin_n, s.said_at, s.origin_n, s.said_at, CAST(0 AS BIGINT)
    FROM said s CROSS JOIN memories m ON m.n = s.origin_n
    WHERE m.type NOT IN {derived_types}
      AND NOT EXISTS (SELECT 1 FROM memory_versions f
                      WHERE f.memory_n = m.n AND f.version = 1 AND f.channel = 'night')
    UNION
    SELECT l.derived, l.origin_n, l.said_at,
           CASE WHEN way.is_next THEN t.memory_n ELSE m.merged_into END,
           CASE WHEN way.is_next THEN e.created_at ELSE {greatest}(l.known_at, m.updated_at) END,
           CASE WHEN way.is_next THEN e.created_at ELSE l.replaced_at END
    {step_on} AND (e.event_at IS NOT NULL OR NOT way.is_next)),
changed (derived, origin_n, said_at, n, at) AS (
    SELECT l.derived, l.origin_n, l.said_at, l.n, {greatest}(l.replaced_at, coalesce((
        SELECT max(x.ingested_at) FROM memory_versions x CROSS JOIN memories m ON m.n = x.memory_n
        WHERE x.memory_n = l.n AND x.ingested_at > l.known_at
          AND NOT EXISTS (SELECT 1 FROM audit_log a
                          WHERE a.tenant_id = :tenant AND a.subject = m.id AND a.at = x.ingested_at
                          GROUP BY a.subject
                          HAVING count(*) FILTER (WHERE a.action IN ('past', 'refine')) > 0
                             AND count(*) FILTER (WHERE a.action = 'correct') = 0)),
        0))
    FROM led l)
SELECT l.derived, m.id, b.content AS before, c.content AS after, l.at AS changed_at
FROM changed l
CROSS JOIN span p ON p.derived = l.derived
CROSS JOIN memories m ON m.n = l.n AND m.validity = 'active'
CROSS JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL
CROSS JOIN memory_versions b ON b.memory_n = l.origin_n
      AND b.version = (SELECT max(x.version) FROM memory_versions x
                       WHERE x.memory_n = l.origin_n
                         AND (x.ingested_at <= l.said_at OR x.version = 1))
WHERE l.at > p.since AND b.n <> c.n
  AND NOT EXISTS (SELECT 1 FROM turns t
                  WHERE t.n = c.turn_n AND t.session_n = p.session_n
                    AND t.turn_index BETWEEN p.first_index AND p.last_index)
ORDER BY l.derived, m.n;
