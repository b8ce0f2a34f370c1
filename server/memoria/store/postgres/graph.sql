-- name: beginning
-- DISTINCT is not ordered by what it leaves out.
SELECT coalesce(e.canonical_n, e.n) AS n
FROM entity_names s JOIN entities e ON e.n = s.entity_n
WHERE s.tenant_id = :tenant AND s.key >= :first AND s.key < :beyond
GROUP BY coalesce(e.canonical_n, e.n)
ORDER BY min(s.key), n
LIMIT :limit;
