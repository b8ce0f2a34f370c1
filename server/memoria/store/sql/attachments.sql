-- For +tenant_id see conversations.sql.

-- name: of_messages
-- Files of messages, in all versions of these.
SELECT a.n, a.fingerprint
FROM turns t
CROSS JOIN turns v ON v.session_n = t.session_n AND v.turn_index = t.turn_index
CROSS JOIN turns a ON a.attached_to = v.n AND +a.tenant_id = :tenant
WHERE t.n IN (SELECT value FROM {numbers :ns}) AND +t.tenant_id = :tenant
ORDER BY a.n;

-- name: message
SELECT m.id FROM turns t CROSS JOIN turns m ON m.n = t.attached_to AND +m.tenant_id = :tenant
WHERE t.n = :n AND +t.tenant_id = :tenant;

-- name: old
SELECT n FROM turns
WHERE +tenant_id = :tenant AND attached_to IS NOT NULL AND ingested_at < :before
  AND (file_hash IS NOT NULL OR result_hash IS NOT NULL)
ORDER BY n LIMIT :limit;

-- name: clear
UPDATE turns SET file_hash = NULL, result_hash = NULL, args_hash = :args_hash
WHERE n = :n AND +tenant_id = :tenant;

-- name: hashes
SELECT args_hash, result_hash, file_hash FROM turns WHERE n = :n AND +tenant_id = :tenant;
