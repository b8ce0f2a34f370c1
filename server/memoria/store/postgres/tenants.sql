-- name: find
-- Words are counted for each tenant by itself: of others the indexes tell nothing.
SELECT t.id AS number, t.private_times, t.changes, t.last_erasure, t.newest_document,
       FALSE AS has_others
FROM tenants t WHERE t.name = :name;

-- name: add
-- From here on the transaction sees the rows of the tenant.
INSERT INTO tenants (name, created_at) VALUES (:name, :now)
RETURNING id, set_config('memoria.tenant', CAST(id AS TEXT), TRUE);
