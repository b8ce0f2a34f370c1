-- name: count_aged
SELECT count(*) FROM sessions
WHERE tenant_id = :tenant AND tier < 2
  AND last_ingested_at < CASE tier WHEN 0 THEN :warm ELSE :cold END;

-- name: next_aged
SELECT n, CASE WHEN last_ingested_at < :cold THEN 2 ELSE 1 END AS tier FROM sessions
WHERE tenant_id = :tenant AND tier < 2
  AND last_ingested_at < CASE tier WHEN 0 THEN :warm ELSE :cold END
ORDER BY sessions.tier, n
LIMIT 1;

-- name: loose
SELECT t.n, c.hash, c.size
FROM turns t
JOIN raw_chunks c ON c.tenant_id = :tenant
     AND c.hash IN (t.content_hash, t.args_hash, t.result_hash)
WHERE t.session_n = :session_n AND +t.tenant_id = :tenant AND t.n > :after AND c.size >= :least
ORDER BY t.n
LIMIT :most;

-- name: pack
UPDATE raw_chunks SET codec = 'zstd', data = :data
WHERE tenant_id = :tenant AND hash = :hash AND length(data) > length(:data);

-- name: add_block
INSERT INTO text_blocks (tenant_id, texts, data) VALUES (:tenant, :texts, :data);

-- name: take_chunk
DELETE FROM raw_chunks WHERE tenant_id = :tenant AND hash = :hash;

-- name: add_place
INSERT INTO packed_texts (tenant_id, hash, block_n, start, size)
VALUES (:tenant, :hash, :block_n, :start, :size);

-- name: settle
UPDATE sessions SET tier = :tier
WHERE n = :session_n AND tenant_id = :tenant AND last_ingested_at < :before;
