-- A conversation's tier is 0 or 1 while its texts lie as they were recorded (1: packed each by
-- itself, by a version before), and 2 when they are packed together.

-- name: count_unpacked
SELECT count(*) FROM sessions
WHERE tenant_id = :tenant AND tier < 2 AND last_ingested_at < :before;

-- name: next_unpacked
SELECT n FROM sessions
WHERE tenant_id = :tenant AND tier < 2 AND last_ingested_at < :before
ORDER BY tier, n
LIMIT 1;

-- name: loose
SELECT t.n, c.hash, c.size
FROM turns t
JOIN raw_chunks c ON c.tenant_id = :tenant
     AND c.hash IN (t.content_hash, t.args_hash, t.result_hash)
WHERE t.session_n = :session_n AND +t.tenant_id = :tenant AND t.n > :after AND c.size >= :least
ORDER BY t.n
LIMIT :most;

-- name: add_block
INSERT INTO text_blocks (tenant_id, texts, data) VALUES (:tenant, :texts, :data);

-- name: take_chunk
DELETE FROM raw_chunks WHERE tenant_id = :tenant AND hash = :hash;

-- name: add_place
INSERT INTO packed_texts (tenant_id, hash, block_n, start, size)
VALUES (:tenant, :hash, :block_n, :start, :size);

-- name: mark_packed
UPDATE sessions SET tier = 2
WHERE n = :session_n AND tenant_id = :tenant AND last_ingested_at < :before;
