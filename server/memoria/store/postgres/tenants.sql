-- name: find
-- Words are counted for each tenant by itself: of others the indexes tell nothing.
SELECT t.id AS number, t.private_times, t.changes, t.last_erasure, t.newest_document,
       FALSE AS has_others
FROM tenants t WHERE t.name = :name;
