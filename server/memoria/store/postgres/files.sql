-- name: read
-- What is too large is not fetched.
SELECT octet_length(content), CASE WHEN octet_length(content) <= :most THEN content END
FROM files WHERE tenant_id = :tenant AND path = :path;

-- name: size
SELECT octet_length(content) FROM files WHERE tenant_id = :tenant AND path = :path;

-- name: state
SELECT sha256(content) FROM files WHERE tenant_id = :tenant AND path = :path;

-- name: put
INSERT INTO files (tenant_id, path, content, updated_at)
VALUES (:tenant, :path, :content, :now)
ON CONFLICT (tenant_id, path)
DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at;

-- name: delete
DELETE FROM files WHERE tenant_id = :tenant AND path = :path;

-- name: places
-- A prefix without wildcards, for which the key of texts that compare by their bytes is searched.
SELECT path FROM files WHERE tenant_id = :tenant AND starts_with(path, :folder) ORDER BY path;

-- name: states
SELECT path, sha256(content) FROM files WHERE tenant_id = :tenant AND starts_with(path, :folder)
ORDER BY path;

-- name: delete_folder
DELETE FROM files WHERE tenant_id = :tenant AND starts_with(path, :folder);

-- name: begin_key
INSERT INTO settings (key, value) VALUES ('tombstone_key', :digest) ON CONFLICT (key) DO NOTHING;

-- name: key_digest
SELECT value FROM settings WHERE key = 'tombstone_key';

-- name: hold_keys
-- Whoever adds a key waits for another who does.
SELECT value FROM settings WHERE key = 'tombstone_key' FOR UPDATE;

-- name: adopted_keys
SELECT value FROM settings WHERE key = 'adopted_keys';

-- name: put_adopted_keys
INSERT INTO settings (key, value) VALUES ('adopted_keys', :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;
