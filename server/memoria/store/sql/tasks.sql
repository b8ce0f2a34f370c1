-- name: names
SELECT DISTINCT task FROM memories WHERE tenant_id = :tenant AND task IS NOT NULL ORDER BY task;

-- name: memories
SELECT n FROM memories
WHERE tenant_id = :tenant AND task IN (SELECT value FROM {texts :tasks});

-- name: drop
UPDATE memories SET task = NULL WHERE n = :memory_n AND tenant_id = :tenant;

-- name: empty_images
UPDATE nightly_changes SET image = '{}'
WHERE memory_n = (SELECT n FROM memories WHERE n = :memory_n AND tenant_id = :tenant);
