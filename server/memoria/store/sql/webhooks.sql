-- name: add
INSERT INTO webhooks (tenant_id, id, url, secret, created_at, sent_seq, sent_at, attempts, not_before,
                      delivered_at, last_error)
VALUES (:tenant, :id, :url, :secret, :created_at, :sent_seq, :sent_at, :attempts, :not_before,
        :delivered_at, :last_error);

-- name: list
SELECT id, url, secret, created_at, sent_seq, sent_at, attempts, not_before, delivered_at, last_error
FROM webhooks
WHERE tenant_id = :tenant
ORDER BY n;

-- name: find
SELECT id, url, secret, created_at, sent_seq, sent_at, attempts, not_before, delivered_at, last_error
FROM webhooks
WHERE tenant_id = :tenant AND id = :id;

-- name: note_sent
UPDATE webhooks
SET sent_seq = :seq, sent_at = :at, attempts = 0, not_before = 0, last_error = NULL,
    delivered_at = coalesce(:delivered_at, delivered_at)
WHERE tenant_id = :tenant AND id = :id;

-- name: note_failed
UPDATE webhooks
SET attempts = attempts + 1, not_before = :not_before, last_error = :error
WHERE tenant_id = :tenant AND id = :id;

-- name: remove
DELETE FROM webhooks WHERE tenant_id = :tenant AND id = :id;

-- name: drop_all
DELETE FROM webhooks WHERE tenant_id = :tenant;

-- name: due
-- Of each webhook whose last event is not the newest, the tenant and the id.
SELECT t.name AS tenant, w.id
FROM webhooks w
JOIN tenants t ON t.id = w.tenant_id
WHERE (w.not_before <= :now OR w.not_before > :now + :longest_pause)
  AND w.sent_seq <> coalesce((SELECT max(e.seq) FROM events e WHERE e.tenant_id = w.tenant_id), 0)
ORDER BY w.n;

-- name: any_of_all
SELECT EXISTS (SELECT 1 FROM webhooks);

-- name: drop_of_all
DELETE FROM webhooks;
