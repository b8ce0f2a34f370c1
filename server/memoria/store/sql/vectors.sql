-- name: current_model
SELECT value FROM settings WHERE key = 'embedding_model';

-- name: model
SELECT n, name, dims, EXISTS (SELECT 1 FROM passages p WHERE p.model_n = m.n) AS has_passages
FROM embedding_models m WHERE name = :name;

-- name: add_model
INSERT INTO embedding_models (name, dims) VALUES (:name, :dims) ON CONFLICT (name) DO NOTHING;

-- name: add_embedding
INSERT INTO embeddings (model_n, document_n, vector) VALUES (:model, :n, :vector)
ON CONFLICT (model_n, document_n) DO UPDATE SET vector = excluded.vector;

-- name: drop_passages
-- Of the former vectors of documents: they are no part of the new ones.
DELETE FROM passages
WHERE model_n = :model AND document_n IN (SELECT value FROM {numbers :ns});

-- name: add_passages
INSERT INTO passages (model_n, document_n, signs, records)
VALUES (:model, :n, :signs, :records)
ON CONFLICT (model_n, document_n) DO UPDATE
SET signs = excluded.signs, records = excluded.records;

-- name: changes
-- Of a tenant that has nothing yet: zeros.
SELECT coalesce(max(changes), 0) AS n, coalesce(max(last_erasure), 0) AS erased_at
FROM tenants WHERE id = :tenant;

-- name: changed
-- `changed > 0` lets the index be used, which has no other rows; said last, it is entered at :seen.
SELECT d.changed, d.n, d.tenant_id, d.kind, d.workspace_n, d.current, d.suppressed, d.processed,
       e.vector
FROM documents d CROSS JOIN embeddings e ON e.model_n = :model AND e.document_n = d.n
WHERE d.tenant_id = :tenant AND d.changed > :seen AND d.changed > 0 AND d.kind = :kind;

-- name: held
SELECT d.n
FROM documents d CROSS JOIN embeddings e ON e.model_n = :model AND e.document_n = d.n
WHERE d.tenant_id = :tenant AND d.changed > 0 AND d.kind = :kind;

-- name: vectors
-- Of documents that an index of one tenant's found on this snapshot.
SELECT document_n AS n, vector FROM embeddings
WHERE model_n = :model AND document_n IN (SELECT value FROM {numbers :ns});

-- name: more_than
-- Nothing is counted where the numbers of all documents are too low.
SELECT 1
FROM tenants t
CROSS JOIN documents d ON d.tenant_id = t.id AND d.changed > 0
WHERE t.id = :tenant AND t.newest_document > :few
LIMIT 1 OFFSET :few;

-- name: visibilities
SELECT n, kind, tenant_id, workspace_n, current, suppressed, processed FROM documents
WHERE +tenant_id = :tenant AND n IN (SELECT value FROM {numbers :ns});

-- name: models
SELECT n, name, dims FROM embedding_models ORDER BY n;

-- name: indexable
SELECT e.document_n AS n, d.tenant_id, d.kind, d.workspace_n, d.current, d.suppressed, d.processed, e.vector
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND d.current AND e.document_n > :after
ORDER BY e.document_n
LIMIT :limit;

-- name: one
SELECT e.document_n AS n, d.tenant_id, d.kind, d.workspace_n, d.current, d.suppressed, d.processed, e.vector
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND e.document_n = :n;

-- name: count_indexable
SELECT count(*) AS total
FROM embeddings e
JOIN documents d ON d.n = e.document_n
WHERE e.model_n = :model AND d.current;
