-- name: documents
SELECT n, tenant_id, kind, workspace_n, current, barred FROM documents ORDER BY n;

-- name: full_text_drift
SELECT (SELECT count(*) FROM documents) AS documents,
       (SELECT count(*) FROM documents
        WHERE n NOT IN (SELECT id FROM search_index_content)) AS missing,
       (SELECT count(*) FROM search_index_content
        WHERE id NOT IN (SELECT n FROM documents)) AS extra;

-- name: wording
SELECT content, valid_from FROM memory_versions WHERE n = :n AND tenant_id = :tenant;

-- name: forgive_failures
UPDATE embedding_backlog SET attempts = 0, not_before = 0;

-- name: await_missing_vectors
INSERT INTO embedding_backlog (document_n)
SELECT d.n FROM documents d
JOIN settings s ON s.key = 'embedding_model'
WHERE d.current
  AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models m ON m.n = e.model_n
                  WHERE e.document_n = d.n AND m.name = s.value)
ON CONFLICT DO NOTHING;

-- name: count_missing_vectors
SELECT count(*) FROM documents d
JOIN settings s ON s.key = 'embedding_model'
WHERE d.current
  AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models m ON m.n = e.model_n
                  WHERE e.document_n = d.n AND m.name = s.value)
  AND NOT EXISTS (SELECT 1 FROM embedding_backlog b WHERE b.document_n = d.n);

-- name: raw_chunks
SELECT hash, codec, data FROM raw_chunks;
