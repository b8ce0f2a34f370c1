-- A moment further ahead than anything is ever put off was written while the clock was wrong:
-- it counts as past.

-- name: setting
SELECT value FROM settings WHERE key = :key;

-- name: set_setting
INSERT INTO settings (key, value) VALUES (:key, :value)
ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: enqueue_missing
INSERT INTO embedding_backlog (document_n)
SELECT d.n FROM documents d
WHERE d.current
  AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models m ON m.n = e.model_n
                  WHERE e.document_n = d.n AND m.name = :model)
ON CONFLICT DO UPDATE SET attempts = 0, not_before = 0, last_error = NULL;

-- name: take_lease
INSERT INTO leases (name, owner, expires_at) VALUES (:name, :owner, :expires_at)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
WHERE leases.owner = excluded.owner
   OR leases.expires_at <= :now OR leases.expires_at > :now + :longest;

-- name: lease_owner
SELECT owner FROM leases WHERE name = :name AND expires_at > :now AND expires_at <= :now + :longest;

-- name: drop_lease
DELETE FROM leases WHERE name = :name AND owner = :owner;

-- name: due
SELECT b.document_n AS n, b.attempts, d.kind, d.tenant_id, t.name AS tenant
FROM embedding_backlog b
JOIN documents d ON d.n = b.document_n
JOIN tenants t ON t.id = d.tenant_id
WHERE b.attempts < :attempts AND (b.not_before <= :now OR b.not_before > :now + :longest)
ORDER BY b.document_n
LIMIT :limit;

-- name: previous_turn
SELECT p.n FROM turns t
JOIN turns p ON p.session_n = t.session_n AND p.turn_index = t.turn_index - 1
JOIN documents d ON d.n = p.n AND d.current
WHERE t.n = :n AND t.tenant_id = :tenant;

-- name: memory_text
SELECT content FROM memory_versions WHERE n = :n AND tenant_id = :tenant;

-- name: owner_of
SELECT n, tenant_id, kind, workspace_n, current, suppressed, processed FROM documents
WHERE n IN (SELECT value FROM json_each(:ns));

-- name: done
DELETE FROM embedding_backlog WHERE document_n IN (SELECT value FROM json_each(:ns));

-- name: count_change
UPDATE change_sequence SET n = n + 1 WHERE one = 1;

-- name: erasures
SELECT erased_at FROM change_sequence WHERE one = 1;

-- name: note_changes
UPDATE documents SET changed = (SELECT n FROM change_sequence WHERE one = 1)
WHERE n IN (SELECT value FROM json_each(:ns));

-- name: postpone
UPDATE embedding_backlog
SET attempts = attempts + 1, not_before = :until, last_error = :error
WHERE document_n IN (SELECT value FROM json_each(:ns));

-- name: pending
SELECT count(*) FROM embedding_backlog WHERE attempts < :attempts;

-- name: failed
SELECT count(*) FROM embedding_backlog WHERE attempts >= :attempts;

-- name: last_error
SELECT last_error FROM embedding_backlog WHERE last_error IS NOT NULL
ORDER BY attempts DESC, document_n DESC LIMIT 1;

-- name: next_due
SELECT min(CASE WHEN not_before > :now + :longest THEN 0 ELSE not_before END) AS at
FROM embedding_backlog WHERE attempts < :attempts;
