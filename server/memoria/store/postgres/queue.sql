-- One statement sees one snapshot, in which a lease that another worker takes at this moment is not:
-- `lease_first` looks again, under the lock of the session.

-- name: lease
SELECT n, id, kind, session_n, first_index, last_index, reason, attempts,
       (SELECT name FROM tenants WHERE tenants.id = tenant_id) AS tenant
FROM lease_first(ARRAY({leasable} LIMIT 100), :owner, :now, :now + :lease, :longest_lease);

-- name: lease_along
SELECT n, id, kind, session_n, first_index, last_index, reason, attempts,
       (SELECT name FROM tenants WHERE tenants.id = tenant_id) AS tenant
FROM lease_first(ARRAY({leasable_along} LIMIT 100), :owner, :now, :now + :lease, :longest_lease);
