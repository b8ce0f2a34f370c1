-- name: add
INSERT INTO raw_chunks (tenant_id, hash, codec, size, data)
SELECT :tenant, :hash, :codec, :size, :data
WHERE NOT EXISTS (SELECT 1 FROM packed_texts WHERE tenant_id = :tenant AND hash = :hash)
ON CONFLICT DO NOTHING;

-- name: chunk
SELECT codec, data FROM raw_chunks WHERE tenant_id = :tenant AND hash = :hash;

-- name: place
SELECT block_n, start, size FROM packed_texts WHERE tenant_id = :tenant AND hash = :hash;

-- name: block
SELECT data FROM text_blocks WHERE n = :n AND tenant_id = :tenant;

-- name: in_use
-- All turns are read once, however many texts it is asked of.
SELECT DISTINCT h.hash FROM (
    SELECT content_hash AS hash FROM turns WHERE tenant_id = :tenant
    UNION ALL SELECT args_hash FROM turns WHERE tenant_id = :tenant AND args_hash IS NOT NULL
    UNION ALL SELECT result_hash FROM turns WHERE tenant_id = :tenant AND result_hash IS NOT NULL
) h
WHERE {hex h.hash} IN (SELECT value FROM {texts :hashes});

-- name: erase_chunk
DELETE FROM raw_chunks WHERE tenant_id = :tenant AND hash = :hash;

-- name: erase_place
DELETE FROM packed_texts WHERE tenant_id = :tenant AND hash = :hash;

-- name: write_block
UPDATE text_blocks SET texts = texts - 1, data = :data WHERE n = :n AND tenant_id = :tenant;

-- name: erase_empty_block
DELETE FROM text_blocks WHERE n = :n AND tenant_id = :tenant AND texts = 0;
