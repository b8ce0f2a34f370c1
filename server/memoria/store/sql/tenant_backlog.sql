-- A moment further ahead than the longest pause was written while the clock was wrong, and counts as
-- past.

-- name: due
SELECT b.document_n AS n, b.attempts, d.kind
FROM embedding_backlog b JOIN documents d ON d.n = b.document_n
WHERE b.tenant_id = :tenant AND b.attempts < :attempts
  AND (b.not_before <= :now OR b.not_before > :now + :longest)
ORDER BY b.has_vector, b.document_n
LIMIT :limit;

-- name: hold_model
-- Whoever stores a vector of the model holds it: nobody changes the model in between.
SELECT value FROM settings WHERE key = 'embedding_model';

-- name: previous_turn
SELECT p.n FROM turns t
JOIN turns p ON p.session_n = t.session_n AND p.turn_index = t.turn_index - 1
JOIN documents d ON d.n = p.n AND d.current
WHERE t.n = :n AND t.tenant_id = :tenant;

-- name: memory_text
SELECT content FROM memory_versions WHERE n = :n AND tenant_id = :tenant;

-- name: documents
SELECT n, tenant_id, kind, workspace_n, current, suppressed, processed FROM documents
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant;

-- name: remove
DELETE FROM embedding_backlog
WHERE document_n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant;

-- name: postpone
UPDATE embedding_backlog
SET attempts = attempts + 1, not_before = :until, last_error = :error
WHERE document_n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant;

-- name: awaits_vector
SELECT EXISTS (SELECT 1 FROM embedding_backlog WHERE tenant_id = :tenant AND has_vector = FALSE);

-- name: last_erasure
SELECT coalesce(max(last_erasure), 0) FROM tenants WHERE id = :tenant;

-- name: count_change
UPDATE tenants SET changes = changes + 1 WHERE id = :tenant;

-- name: note_changes
UPDATE documents SET changed = (SELECT changes FROM tenants WHERE id = :tenant)
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant;
