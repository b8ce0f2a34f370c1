-- name: sessions
SELECT count(*) FROM sessions WHERE tenant_id = :tenant;

-- name: turns
SELECT count(*) FROM turns t JOIN documents d ON d.n = t.n WHERE t.tenant_id = :tenant AND d.current;

-- name: turn_versions
SELECT count(*) FROM turns WHERE tenant_id = :tenant;

-- name: memories
SELECT validity, count(*) AS total FROM memories WHERE tenant_id = :tenant GROUP BY validity;

-- name: chunks
SELECT count(*) AS total, CAST(coalesce(sum(size), 0) AS BIGINT) AS raw,
       CAST(coalesce(sum(length(data)), 0) AS BIGINT) AS stored
FROM raw_chunks WHERE tenant_id = :tenant;

-- name: vectors
SELECT count(*) FROM embeddings e JOIN documents d ON d.n = e.document_n
WHERE d.tenant_id = :tenant;

-- name: pending
SELECT count(*) FROM embedding_backlog WHERE tenant_id = :tenant AND attempts < :attempts;

-- name: failed
SELECT count(*) FROM embedding_backlog WHERE tenant_id = :tenant AND attempts >= :attempts;
