-- For +tenant_id see conversations.sql.

-- name: list_alike
SELECT t.id FROM {texts :ends} wanted
JOIN turns t ON {short_id_of t} = wanted.value AND +t.tenant_id = :tenant
UNION ALL
SELECT m.id FROM {texts :ends} wanted
JOIN memories m ON {short_id_of m} = wanted.value AND +m.tenant_id = :tenant;

-- name: list_forgotten
-- Reads all tombstones: an id of nothing that exists is rarely asked for.
SELECT DISTINCT subject FROM tombstones
WHERE tenant_id = :tenant AND {short_id subject} = :end
ORDER BY subject;

-- name: list_entities
-- Reads all entities: such a short id is rarely given.
SELECT id FROM entities WHERE tenant_id = :tenant AND {short_id id} = :end ORDER BY id;

-- name: list_sessions
SELECT DISTINCT session_id FROM sessions
WHERE tenant_id = :tenant AND session_id >= :beginning AND session_id < :beyond
ORDER BY session_id LIMIT :limit;
