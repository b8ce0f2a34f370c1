-- A lease that ends later than the longest lease was taken while the clock was wrong, and counts as
-- free.

-- name: take
INSERT INTO leases (tenant_id, name, owner, expires_at)
VALUES (:tenant, :name, :owner, :expires_at)
ON CONFLICT (tenant_id, name) DO UPDATE
SET owner = excluded.owner, expires_at = excluded.expires_at
WHERE leases.owner = excluded.owner
   OR leases.expires_at <= :now OR leases.expires_at > :now + :longest;

-- name: owner
SELECT owner FROM leases
WHERE tenant_id = :tenant AND name = :name
  AND expires_at > :now AND expires_at <= :now + :longest;

-- name: release
DELETE FROM leases WHERE tenant_id = :tenant AND name = :name AND owner = :owner;
