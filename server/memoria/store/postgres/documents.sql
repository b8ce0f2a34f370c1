-- name: allot
SELECT nextval(pg_get_serial_sequence('documents', 'n'))
FROM generate_series(1, CAST(:count AS INTEGER));

-- name: index_document
INSERT INTO search_index (n, tenant_id, scope, words, context, form)
VALUES (:n, :tenant, :scope, :words, :context, :form);

-- name: erase_tokens
DELETE FROM search_index WHERE n = :n AND tenant_id = :tenant;

-- name: want_scrub
{want_scrub};

-- name: set_scope
UPDATE search_index SET scope = :scope WHERE n = :n AND tenant_id = :tenant;

-- name: match
-- Visibilities are looked up from the best downwards, until enough documents are seen.
SELECT b.n, b.score
FROM (SELECT CAST(:query AS JSONB) AS query) q,
     rank_documents(:tenant, q.query, :context_weight) b
WHERE q.query -> 'scopes' = '[]' OR q.query -> 'scopes' @> to_jsonb((
    SELECT i.scope FROM search_index i WHERE i.n = b.n))
ORDER BY b.score DESC, b.n
LIMIT :limit;

-- name: match_newest
-- For a word that stands in more documents than can be scored: that it does tells nothing of them.
SELECT DISTINCT p.n, CAST(1 AS DOUBLE PRECISION) AS score
FROM (SELECT CAST(:query AS JSONB) AS query) q,
     unnest(list_terms(q.query)) AS t (term),
     LATERAL (
    SELECT p.n FROM postings p
    WHERE p.tenant_id = :tenant AND p.term = t.term
      AND q.query -> 'scopes' @> to_jsonb((SELECT i.scope FROM search_index i WHERE i.n = p.n))
    ORDER BY p.n DESC LIMIT :limit) p
ORDER BY p.n DESC
LIMIT :limit;

-- name: match_filtered
SELECT b.n, b.score
FROM (SELECT CAST(:query AS JSONB) AS query) q,
     rank_documents(:tenant, q.query, :context_weight) b
WHERE (b.n IN (SELECT value FROM {numbers :allowed})) IS TRUE
  AND (q.query -> 'scopes' = '[]' OR q.query -> 'scopes' @> to_jsonb((
       SELECT i.scope FROM search_index i WHERE i.n = b.n)))
ORDER BY b.score DESC, b.n
LIMIT :limit;

-- name: vocabulary
SELECT DISTINCT term FROM postings
WHERE tenant_id = :tenant AND term >= :first AND term < :last
ORDER BY term;

-- name: words
SELECT n, words FROM search_index
WHERE n IN (SELECT value FROM {numbers :ns}) AND tenant_id = :tenant;

-- name: indexed
-- As one run of bytes: see `IndexTokens`.
SELECT d.n, convert_to(i.words || chr(10) || i.context, 'UTF8') AS packed, d.changed
FROM documents d JOIN search_index i ON i.n = d.n
WHERE d.n IN (SELECT value FROM {numbers :ns}) AND d.tenant_id = :tenant
  AND length(i.words) + length(i.context) <= :most;

-- name: few_changed
SELECT d.n, d.changed, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed,
       i.words, i.context
FROM documents d
LEFT JOIN search_index i ON i.n = d.n
WHERE d.tenant_id = :tenant AND d.changed > :after AND d.changed > 0
ORDER BY d.changed
LIMIT :most;

-- name: few_added
SELECT d.n, d.changed, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed,
       i.words, i.context
FROM documents d
LEFT JOIN search_index i ON i.n = d.n
WHERE d.n > :after AND d.tenant_id = :tenant AND d.changed = 0
ORDER BY d.n
LIMIT :most;

-- name: count_each
-- All queries with terms have the visibilities of the first, whose documents are hashed once. What is
-- of a query alone is told once, and not for each of its documents.
SELECT a.value AS query, (
    SELECT count(*) FROM (
        SELECT 1 FROM find_words(:tenant, a.terms) w
        WHERE a.is_open OR w.n IN (
            SELECT i.n FROM search_index i
            WHERE i.tenant_id = :tenant AND i.scope = ANY (list_texts(
                CAST(CAST(:queries AS JSONB) ->> 0 AS JSONB) -> 'scopes')))
        UNION ALL
        SELECT 1 FROM search_index i
        WHERE a.is_bare AND i.tenant_id = :tenant
          AND i.scope = ANY (list_texts(a.query -> 'scopes'))) m
) AS total
FROM (SELECT value, query, list_terms(query) AS terms, query -> 'scopes' = '[]' AS is_open,
             query -> 'groups' = '[]' AS is_bare
      FROM (SELECT value, CAST(value AS JSONB) AS query FROM {texts :queries} OFFSET 0) b
      OFFSET 0) a;

-- name: count_up_to
SELECT a.value AS query, (
    SELECT count(*) FROM (
        SELECT 1 FROM find_words(:tenant, list_terms(a.query)) w
        WHERE a.query -> 'scopes' = '[]' OR a.query -> 'scopes' @> to_jsonb((
            SELECT i.scope FROM search_index i WHERE i.n = w.n))
        UNION ALL
        SELECT 1 FROM search_index i
        WHERE a.query -> 'groups' = '[]' AND i.tenant_id = :tenant
          AND i.scope = ANY (list_texts(a.query -> 'scopes'))
        LIMIT :most) m
) AS total
FROM (SELECT value, CAST(value AS JSONB) AS query FROM {texts :queries} OFFSET 0) a;

-- name: count_matches
SELECT count(*) AS hidden FROM find_documents(:tenant, CAST(:query AS JSONB));

-- name: elsewhere
SELECT d.n, w.name
FROM find_documents(:tenant, CAST(:query AS JSONB)) f
JOIN documents d ON d.n = f.n
JOIN workspaces w ON w.n = d.workspace_n
ORDER BY d.n DESC LIMIT :limit;

-- name: matching
SELECT n FROM find_documents(:tenant, CAST(:query AS JSONB)) ORDER BY n;

-- name: count_all
SELECT coalesce((SELECT documents FROM index_sizes WHERE tenant_id = :tenant), 0);

-- name: newest_of_all
-- Of the tenant alone, as its words are counted: how many documents it has.
SELECT coalesce((SELECT documents FROM index_sizes WHERE tenant_id = :tenant), 0);
