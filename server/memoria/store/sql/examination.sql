-- name: documents
SELECT n, tenant_id, kind, workspace_n, current, suppressed, processed FROM documents ORDER BY n;

-- name: announce_words
-- Every document may be found by other words than before: what keeps words in memory lets them go.
UPDATE tenants SET changes = changes + 1, last_erasure = changes + 1;

-- name: forgive_failures
UPDATE embedding_backlog SET attempts = 0, not_before = 0;

-- name: await_missing_vectors
INSERT INTO embedding_backlog (document_n, tenant_id)
SELECT d.n, d.tenant_id FROM documents d
JOIN settings s ON s.key = 'embedding_model'
WHERE d.current
  AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models m ON m.n = e.model_n
                  WHERE e.document_n = d.n AND m.name = s.value)
ON CONFLICT (document_n) DO UPDATE SET has_vector = FALSE;

-- name: count_missing_vectors
SELECT count(*) FROM documents d
JOIN settings s ON s.key = 'embedding_model'
WHERE d.current
  AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models m ON m.n = e.model_n
                  WHERE e.document_n = d.n AND m.name = s.value)
  AND NOT EXISTS (SELECT 1 FROM embedding_backlog b
                  WHERE b.document_n = d.n AND NOT b.has_vector);

-- name: count_damaged_passages
-- A record is two places and a unit of four bytes each, and a byte a number.
SELECT count(*) FROM passages p JOIN embedding_models m ON m.n = p.model_n
WHERE length(p.records) = 0 OR length(p.records) % (12 + m.dims) <> 0
   OR length(p.signs) <> length(p.records) / (12 + m.dims) * ((m.dims + 7) / 8);

-- name: await_damaged_passages
INSERT INTO embedding_backlog (document_n, tenant_id, has_vector)
SELECT DISTINCT d.n, d.tenant_id, TRUE
FROM passages p JOIN embedding_models m ON m.n = p.model_n JOIN documents d ON d.n = p.document_n
WHERE d.current
  AND (length(p.records) = 0 OR length(p.records) % (12 + m.dims) <> 0
       OR length(p.signs) <> length(p.records) / (12 + m.dims) * ((m.dims + 7) / 8))
ON CONFLICT DO NOTHING;

-- name: drop_damaged_passages
DELETE FROM passages WHERE (model_n, document_n) IN (
    SELECT p.model_n, p.document_n FROM passages p JOIN embedding_models m ON m.n = p.model_n
    WHERE length(p.records) = 0 OR length(p.records) % (12 + m.dims) <> 0
       OR length(p.signs) <> length(p.records) / (12 + m.dims) * ((m.dims + 7) / 8));

-- name: count_lost_records
SELECT (SELECT count(*) FROM documents d
        WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.n = d.n)
          AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.n = d.n))
     + (SELECT count(*) FROM memories m
        WHERE NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.memory_n = m.n))
     + (SELECT count(*) FROM turns t
        WHERE EXISTS (SELECT 1 FROM (SELECT t.content_hash AS hash UNION ALL SELECT t.args_hash
                                     UNION ALL SELECT t.result_hash) wanted
                      WHERE wanted.hash IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM raw_chunks c
                                        WHERE c.tenant_id = t.tenant_id
                                          AND c.hash = wanted.hash)));

-- name: count_lost_files
-- Apart, as a backup of an older version has none.
SELECT count(*) FROM turns t
WHERE t.file_hash IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM raw_chunks c
                  WHERE c.tenant_id = t.tenant_id AND c.hash = t.file_hash);

-- name: raw_chunks
SELECT hash, codec, data FROM raw_chunks;

-- name: leases
SELECT name, expires_at FROM leases;

-- name: drop_stale_leases
DELETE FROM leases WHERE expires_at <= :now OR expires_at > :now + :longest;

-- name: totals
SELECT (SELECT count(*) FROM tenants) AS tenants,
       (SELECT count(*) FROM sessions) AS sessions,
       (SELECT count(*) FROM turns) AS turns,
       (SELECT count(*) FROM memories) AS memories;

-- name: wordings
SELECT content, fingerprint FROM memory_versions;
