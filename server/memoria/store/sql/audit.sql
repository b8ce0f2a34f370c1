-- name: add
INSERT INTO audit_log (tenant_id, at, channel, client, caller, action, subject, detail)
VALUES (:tenant, :at, :channel, :client, :caller, :action, :subject, :detail);

-- name: entries
SELECT at, channel, client, caller, action, detail FROM audit_log
WHERE tenant_id = :tenant AND subject = :subject
ORDER BY n DESC LIMIT :limit;

-- name: by_action
SELECT at, channel, client, caller, action, subject, detail FROM audit_log
WHERE tenant_id = :tenant AND action = :action
ORDER BY n DESC LIMIT :limit;

-- name: latest
SELECT n, at, channel, client, caller, action, subject, detail FROM audit_log
WHERE +tenant_id = :tenant AND n < :before AND at >= :since
  AND action <> 'change'  -- notes for undoing stand beside what they undo
ORDER BY n DESC LIMIT :limit;

-- name: newest
SELECT coalesce(max(n), 0) FROM audit_log;

-- name: subjects
SELECT subject FROM audit_log WHERE n > :after AND +tenant_id = :tenant
GROUP BY subject ORDER BY min(n);
