-- A moment further ahead than the longest pause was written while the clock was wrong, and counts as
-- past.

-- name: set_model
INSERT INTO settings (key, value) VALUES ('embedding_model', :model)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: enqueue_missing
INSERT INTO embedding_backlog (document_n, tenant_id)
SELECT d.n, d.tenant_id FROM documents d
WHERE d.current
  AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models m ON m.n = e.model_n
                  WHERE e.document_n = d.n AND m.name = :model)
ON CONFLICT (document_n) DO UPDATE SET attempts = 0, not_before = 0, last_error = NULL, has_vector = FALSE;

-- name: due_tenants
SELECT t.name
FROM (SELECT tenant_id, min(document_n) AS oldest FROM embedding_backlog
      WHERE attempts < :attempts AND (not_before <= :now OR not_before > :now + :longest)
      GROUP BY tenant_id) b
JOIN tenants t ON t.id = b.tenant_id
ORDER BY b.oldest;

-- name: next_due
SELECT min(CASE WHEN not_before > :now + :longest THEN 0 ELSE not_before END) AS at
FROM embedding_backlog WHERE attempts < :attempts;

-- name: pending
SELECT count(*) FROM embedding_backlog WHERE attempts < :attempts;

-- name: failed
SELECT count(*) FROM embedding_backlog WHERE attempts >= :attempts;

-- name: last_error
SELECT last_error FROM embedding_backlog WHERE last_error IS NOT NULL
ORDER BY attempts DESC, document_n DESC LIMIT 1;
