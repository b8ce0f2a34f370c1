-- name: any
SELECT EXISTS (SELECT 1 FROM tombstone_digests WHERE tenant_id = :tenant);

-- name: has_older
-- Digests of older versions are hexadecimal; present ones begin with a letter beyond f.
SELECT EXISTS (SELECT 1 FROM tombstone_digests WHERE tenant_id = :tenant AND digest < 'g');

-- name: find_anchored
SELECT d.digest, t.kind, t.subject, t.at, t.reason
FROM {texts :anchors} wanted
CROSS JOIN tombstone_digests d
    ON d.tenant_id = :tenant AND d.digest >= wanted.value || ':' AND d.digest < wanted.value || ';'
JOIN tombstones t ON t.n = d.tombstone_n;

-- name: find
SELECT t.kind, t.subject, t.at, t.reason
FROM {texts :digests} wanted
CROSS JOIN tombstone_digests m ON m.tenant_id = :tenant AND m.digest = wanted.value
JOIN tombstones t ON t.n = m.tombstone_n AND t.kind = :kind
ORDER BY t.at DESC, t.n DESC
LIMIT 1;

-- name: by_subject
SELECT kind, subject, at, reason FROM tombstones WHERE tenant_id = :tenant AND subject = :subject
ORDER BY at DESC, n DESC LIMIT 1;

-- name: hiding
-- The forget that has hidden a record: the record's tombstone is among the changes of the forget.
SELECT r.id AS report_id, r.purge_at AS until
FROM tombstones t
JOIN forget_reports r ON r.state = 'hidden' AND r.purge_at > :now AND +r.tenant_id = t.tenant_id
WHERE t.tenant_id = :tenant AND t.subject = :subject
  AND EXISTS (SELECT 1 FROM hidden_changes c
              WHERE c.report_id = r.id AND c.tbl = 'tombstones' AND c.key = CAST({json_list}(t.n) AS TEXT))
ORDER BY r.purge_at DESC, r.n DESC LIMIT 1;

-- name: number
SELECT n FROM tombstones WHERE tenant_id = :tenant AND subject = :subject AND kind = :kind;

-- name: all
SELECT n, kind, subject, at, reason FROM tombstones WHERE tenant_id = :tenant ORDER BY n;

-- name: digests
SELECT digest FROM tombstone_digests WHERE +tenant_id = :tenant AND tombstone_n = :n ORDER BY digest;

-- name: add
INSERT INTO tombstones (tenant_id, kind, subject, at, reason)
VALUES (:tenant, :kind, :subject, :at, :reason)
ON CONFLICT DO NOTHING;

-- name: add_digest
INSERT INTO tombstone_digests (tenant_id, digest, tombstone_n)
VALUES (:tenant, :digest, :tombstone)
ON CONFLICT DO NOTHING;

-- name: add_digest_of
INSERT INTO tombstone_digests (tenant_id, digest, tombstone_n)
SELECT :tenant, :digest, n FROM tombstones
WHERE tenant_id = :tenant AND subject = :subject AND kind = :kind
ON CONFLICT DO NOTHING;

-- name: lift
DELETE FROM tombstone_digests
WHERE tenant_id = :tenant AND digest = :digest
  AND EXISTS (SELECT 1 FROM tombstones t WHERE t.n = tombstone_n AND t.kind = 'memory');

-- name: has_meanings
SELECT EXISTS (SELECT 1 FROM tombstone_vectors WHERE tenant_id = :tenant);

-- name: vectors
SELECT t.kind, t.subject, t.at, t.reason, v.reach, v.vector
FROM tombstone_vectors v JOIN tombstones t ON t.n = v.tombstone_n
WHERE v.tenant_id = :tenant AND v.model = :model
ORDER BY t.at DESC, t.n DESC;

-- name: vectors_of
SELECT model, reach, vector FROM tombstone_vectors
WHERE +tenant_id = :tenant AND tombstone_n = :n ORDER BY n;

-- name: add_vector
INSERT INTO tombstone_vectors (tenant_id, tombstone_n, model, reach, vector)
SELECT :tenant, :tombstone, :model, :reach, :vector
WHERE NOT EXISTS (SELECT 1 FROM tombstone_vectors
                  WHERE tombstone_n = :tombstone AND model = :model AND vector = :vector);

-- name: lift_vectors
DELETE FROM tombstone_vectors
WHERE +tenant_id = :tenant
  AND tombstone_n IN (SELECT m.tombstone_n FROM tombstone_digests m
                      JOIN tombstones t ON t.n = m.tombstone_n AND t.kind = 'memory'
                      WHERE m.tenant_id = :tenant AND m.digest = :digest);
