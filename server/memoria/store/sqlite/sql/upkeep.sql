-- name: documents
SELECT n, tenant_id, kind, current FROM documents ORDER BY n;

-- name: models
SELECT n, name, dims FROM embedding_models ORDER BY n;

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
