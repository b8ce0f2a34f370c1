-- name: add
INSERT INTO audit_log (tenant_id, at, channel, client, action, subject, detail)
VALUES (:tenant, :at, :channel, :client, :action, :subject, :detail);

-- name: entries
SELECT at, channel, client, action, detail FROM audit_log
WHERE tenant_id = :tenant AND subject = :subject
ORDER BY n;
