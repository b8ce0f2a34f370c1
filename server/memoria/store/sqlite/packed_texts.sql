-- Texts that versions up to schema 22 packed together: read once, by the migration that drops them.

-- name: blocks
SELECT n, tenant_id, data FROM text_blocks ORDER BY n;

-- name: places
SELECT hash, start, size FROM packed_texts WHERE block_n = :n;

-- name: add
INSERT INTO raw_chunks (tenant_id, hash, codec, size, data)
VALUES (:tenant, :hash, :codec, :size, :data)
ON CONFLICT DO NOTHING;
