-- name: edges
SELECT count(*) FROM edges WHERE tenant_id = :tenant;

-- name: nodes
SELECT count(*) FROM (SELECT src_n FROM edges WHERE tenant_id = :tenant
                      UNION SELECT dst_n FROM edges WHERE tenant_id = :tenant);

-- name: likenesses
SELECT count(*) FROM edges WHERE tenant_id = :tenant AND code = {SIMILAR_TO};

-- name: alike
SELECT count(*) FROM (SELECT src_n FROM edges WHERE tenant_id = :tenant AND code = {SIMILAR_TO}
                      UNION SELECT dst_n FROM edges WHERE tenant_id = :tenant AND code = {SIMILAR_TO});

-- name: memories
SELECT count(*) AS total, count(*) FILTER (WHERE validity = 'archived') AS archived
FROM memories WHERE tenant_id = :tenant;

-- name: sample
SELECT n FROM (
    SELECT v.n, row_number() OVER (ORDER BY v.n) - 1 AS place, count(*) OVER () AS total
    FROM memories m JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
    WHERE m.tenant_id = :tenant AND m.validity = 'active')
WHERE place * :many / total <> (place - 1) * :many / total OR place = 0
ORDER BY n;

-- name: put
INSERT INTO nightly_metrics (run_n, name, value, bound, exceeded)
SELECT n, :name, :value, :bound, :exceeded FROM nightly_runs WHERE n = :run_n AND tenant_id = :tenant
ON CONFLICT (run_n, name) DO UPDATE
SET value = excluded.value, bound = excluded.bound, exceeded = excluded.exceeded;
