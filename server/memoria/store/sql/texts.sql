-- name: add
INSERT INTO raw_chunks (tenant_id, hash, codec, size, data)
VALUES (:tenant, :hash, :codec, :size, :data)
ON CONFLICT DO NOTHING;

-- name: chunk
SELECT codec, data FROM raw_chunks WHERE tenant_id = :tenant AND hash = :hash;

-- name: in_use
-- All turns are read once, for any number of texts. IS TRUE has PostgreSQL look each up in a table.
SELECT DISTINCT h.hash FROM (
    SELECT content_hash AS hash FROM turns WHERE tenant_id = :tenant
    UNION ALL SELECT args_hash FROM turns WHERE tenant_id = :tenant AND args_hash IS NOT NULL
    UNION ALL SELECT result_hash FROM turns WHERE tenant_id = :tenant AND result_hash IS NOT NULL
    UNION ALL SELECT file_hash FROM turns WHERE tenant_id = :tenant AND file_hash IS NOT NULL
) h
WHERE ({hex h.hash} IN (SELECT value FROM {texts :hashes})) IS TRUE;

-- name: erase_chunk
DELETE FROM raw_chunks WHERE tenant_id = :tenant AND hash = :hash;
