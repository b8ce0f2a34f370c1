-- Vectors in half precision, from which candidates are chosen. The truth is `embeddings`.

-- name: has_table
SELECT to_regclass(quote_ident(current_schema()) || '.vectors') IS NOT NULL;

-- name: make_table
-- Nothing is made where the extension can't be had: another than a superuser may only use what is
-- there. Only current documents are in the table. A row in place is read twice as fast as one in a
-- table beside, where a vector of 2 KB would go.
DO $$
BEGIN
    BEGIN
        CREATE EXTENSION IF NOT EXISTS vector;
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
        RETURN;
    END;
    IF to_regtype('halfvec') IS NULL THEN
        RETURN;
    END IF;
    CREATE TABLE IF NOT EXISTS vectors (
        tenant_id BIGINT NOT NULL,
        n         BIGINT NOT NULL,
        model_n   BIGINT NOT NULL,
        scope     TEXT COLLATE "C" NOT NULL,
        embedding HALFVEC STORAGE PLAIN NOT NULL,
        PRIMARY KEY (tenant_id, n, model_n)
    ) PARTITION BY HASH (tenant_id);
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE IF NOT EXISTS vectors_%s PARTITION OF vectors '
                       'FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
    CALL separate_tenants();
END $$;

-- name: lock_truth
-- Writers that do not know of the table yet wait until it is filled.
LOCK TABLE embeddings IN SHARE ROW EXCLUSIVE MODE;

-- name: add
INSERT INTO vectors (tenant_id, n, model_n, scope, embedding)
VALUES (:tenant, :n, :model, :scope, :embedding)
ON CONFLICT (tenant_id, n, model_n) DO UPDATE
SET scope = excluded.scope, embedding = excluded.embedding;

-- name: erase
DELETE FROM vectors WHERE tenant_id = :tenant AND n = :n;

-- name: erase_tenant
DELETE FROM vectors WHERE tenant_id = :tenant;

-- name: count
SELECT count(*) FROM vectors
WHERE tenant_id = :tenant AND n IN (SELECT value FROM {numbers :ns});

-- name: current
SELECT e.model_n, d.n, d.tenant_id, d.kind, d.workspace_n, d.current, d.suppressed, d.processed,
       e.vector
FROM documents d JOIN embeddings e ON e.document_n = d.n
WHERE d.tenant_id = :tenant AND d.n = :n AND d.current;

-- name: nearest
-- With their vectors as the truth has them. Those that rounding may have put behind the last that is
-- wanted are candidates as well.
WITH rounded AS (
    SELECT n, embedding <#> CAST(:vector AS HALFVEC) AS distance FROM vectors
    WHERE tenant_id = :tenant AND model_n = :model AND scope IN (SELECT value FROM {texts :scopes})
      AND (CAST(:allowed AS TEXT) IS NULL OR n IN (SELECT value FROM {numbers :allowed}))
    ORDER BY distance
    LIMIT :most
), compared AS (
    SELECT n, distance, nth_value(distance, CAST(:wanted AS INTEGER)) OVER (
        ORDER BY distance ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last
    FROM rounded
)
SELECT c.n, e.vector
FROM compared c JOIN embeddings e ON e.model_n = :model AND e.document_n = c.n
WHERE c.last IS NULL OR c.distance <= c.last + :error;

-- name: drift
SELECT count(t.n) AS total, count(*) - count(v.n) AS missing, count(*) - count(t.n) AS extra
FROM (SELECT d.tenant_id, d.n FROM embeddings e JOIN documents d ON d.n = e.document_n
      WHERE e.model_n = :model AND d.current) t
FULL JOIN (SELECT tenant_id, n FROM vectors WHERE model_n = :model) v USING (tenant_id, n);

-- name: lock_for_rebuild
-- Writers wait: one that erased a document meanwhile would leave its vector behind.
LOCK TABLE vectors IN SHARE ROW EXCLUSIVE MODE;

-- name: erase_model
DELETE FROM vectors WHERE model_n = :model AND (tenant_id = :tenant OR :tenant = 0);

-- name: indexable
SELECT d.n, d.tenant_id, d.kind, d.workspace_n, d.current, d.suppressed, d.processed, e.vector
FROM documents d JOIN embeddings e ON e.model_n = :model AND e.document_n = d.n
WHERE d.current AND (d.tenant_id = :tenant OR :tenant = 0);
