-- name: expired
SELECT n, id FROM memories
WHERE tenant_id = :tenant AND expires_at IS NOT NULL AND expires_at <= :at
  AND validity = 'active' AND NOT pinned AND n > :after
ORDER BY n LIMIT :limit;

-- name: rule_made
-- Memories that rules concluded and nobody asked for, touched or relies on. Memories that took the
-- place of another stay, and all stay once a nightly run that took them back was undone.
SELECT m.n, m.id, coalesce(v.quote, '') AS quote
FROM memories m JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
WHERE m.tenant_id = :tenant AND m.validity = 'active' AND m.n > :after
  AND v.inferred_by = 'rules'
  AND (v.client = 'rules' AND v.quote <> v.content
       OR v.channel = 'night' AND m.predicate = 'habit')
  AND NOT m.pinned AND NOT m.verified AND m.upvotes = 0 AND m.downvotes = 0
  AND NOT EXISTS (SELECT 1 FROM memory_versions o
                  WHERE o.memory_n = m.n AND o.inferred_by <> 'rules')
  AND NOT EXISTS (SELECT 1 FROM nodes d CROSS JOIN edges e ON e.dst_n = d.n AND e.code = {VERSION_NEXT}
                  WHERE d.memory_n = m.n)
  AND NOT EXISTS (SELECT 1 FROM nightly_runs r JOIN nightly_steps s ON s.run_n = r.n
                  WHERE r.tenant_id = :tenant AND r.state = 'undone' AND s.name = 'quotes')
ORDER BY m.n LIMIT :limit;

-- name: vitals
SELECT m.n, m.id, m.type, m.importance, m.confidence, v.ingested_at AS learnt_at, m.tier,
       coalesce(t.at, CASE v.source_kind WHEN 'imported' THEN v.valid_from
                      ELSE v.ingested_at END) AS said_at,
       m.task IS NOT NULL AND m.type IN {guiding_types} AS task, m.pinned, m.verified, v.event_at,
       (SELECT max(e.ingested_at) FROM memory_evidence e WHERE e.memory_n = m.n) AS evidence_at,
       m.last_used_at, m.reviewed_at, m.expires_at,
       1 + (SELECT count(*) FROM memory_evidence e WHERE e.memory_n = m.n) AS evidence,
       m.use_count, m.upvotes
FROM memories m JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
LEFT JOIN turns t ON t.n = v.turn_n
WHERE m.tenant_id = :tenant AND m.validity = 'active' AND m.n > :after
ORDER BY m.n LIMIT :limit;

-- name: number
SELECT n FROM memories WHERE id = :id AND +tenant_id = :tenant;

-- name: support
-- A source is a speaker in a session.
WITH said (n) AS (
    SELECT turn_n FROM memory_versions WHERE memory_n = :memory_n AND valid_to IS NULL
    UNION SELECT turn_n FROM memory_evidence WHERE memory_n = :memory_n)
SELECT count(DISTINCT t.session_n) AS sessions,
       count(DISTINCT t.session_n || ' ' || coalesce(t.speaker, t.role)) AS sources
FROM said CROSS JOIN turns t ON t.n = said.n AND +t.tenant_id = :tenant;

-- name: theme
SELECT count(*) FROM (
    SELECT 1 FROM memories
    WHERE tenant_id = :tenant AND validity = 'active' AND subject <> 'user'
      AND subject = (SELECT subject FROM memories WHERE n = :memory_n)
    LIMIT :most);

-- name: set_tier
UPDATE memories SET tier = :tier WHERE id = :id AND +tenant_id = :tenant;

-- name: note_review
UPDATE memories SET reviewed_at = :at, tier = :tier, importance = :importance
WHERE id = :id AND +tenant_id = :tenant;
