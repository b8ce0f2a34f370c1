-- name: names
SELECT name FROM tenants ORDER BY id;

-- name: add
INSERT INTO tenants (name, created_at) VALUES (:name, :now);

-- name: find
SELECT t.id AS number, t.private_times, t.changes, t.last_erasure, t.newest_document,
       EXISTS (SELECT 1 FROM tenants o WHERE o.id <> t.id) AS has_others
FROM tenants t WHERE t.name = :name;

-- name: erasures
SELECT id AS number, last_erasure FROM tenants WHERE last_erasure > 0;
