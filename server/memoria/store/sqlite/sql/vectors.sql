-- name: model
SELECT n, name, dims FROM embedding_models WHERE name = :name;

-- name: add_model
INSERT INTO embedding_models (name, dims) VALUES (:name, :dims);

-- name: add_embedding
INSERT OR REPLACE INTO embeddings (model_n, document_n, vector) VALUES (:model, :n, :vector);

-- name: scan
SELECT e.document_n AS n, d.tenant_id, d.kind, d.workspace_n, d.current, d.barred, e.vector
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND d.tenant_id = :tenant AND d.current
ORDER BY e.document_n;

-- name: models
SELECT n, name, dims FROM embedding_models ORDER BY n;

-- name: indexable
SELECT e.document_n AS n, d.tenant_id, d.kind, d.workspace_n, d.current, d.barred, e.vector
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND d.current AND e.document_n > :after
ORDER BY e.document_n
LIMIT :limit;

-- name: one
SELECT e.document_n AS n, d.tenant_id, d.kind, d.workspace_n, d.current, d.barred, e.vector
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND e.document_n = :n;

-- name: count_indexable
SELECT count(*) AS total
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND d.current;
