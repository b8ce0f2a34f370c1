-- name: add
INSERT INTO tokens (tenant_id, id, digest, label, access, created_at, expires_at, revoked_at,
                    last_used_day)
VALUES (:tenant, :id, :digest, :label, :access, :created_at, :expires_at, :revoked_at,
        :last_used_day);

-- name: drop_all
DELETE FROM tokens WHERE tenant_id = :tenant;

-- name: list
SELECT id, label, access, created_at, expires_at, revoked_at, last_used_day
FROM tokens
WHERE tenant_id = :tenant
ORDER BY n;

-- name: find
SELECT id, label, access, created_at, expires_at, revoked_at, last_used_day, digest
FROM tokens
WHERE tenant_id = :tenant AND id = :id;

-- name: revoke
UPDATE tokens SET revoked_at = :at WHERE tenant_id = :tenant AND id = :id AND revoked_at IS NULL;

-- name: note_use
UPDATE tokens SET last_used_day = :day
WHERE tenant_id = :tenant AND id = :id AND last_used_day {is_not} :day;

-- name: exchange
UPDATE tokens SET digest = :new WHERE tenant_id = :tenant AND id = :id AND digest = :old;
