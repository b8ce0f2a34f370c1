-- name: newest
SELECT seq, at FROM events WHERE tenant_id = :tenant ORDER BY seq DESC LIMIT 1;

-- name: oldest
SELECT seq, at FROM events WHERE tenant_id = :tenant ORDER BY seq LIMIT 1;

-- name: time_of
SELECT at FROM events WHERE tenant_id = :tenant AND seq = :seq;

-- name: latest
SELECT seq, at, type, kind, subject, other, code, workspace_n FROM events
WHERE tenant_id = :tenant
ORDER BY seq DESC LIMIT :limit;

-- name: after
SELECT seq, at, type, kind, subject, other, code, workspace_n FROM events
WHERE tenant_id = :tenant AND seq > :seq
ORDER BY seq LIMIT :limit;
