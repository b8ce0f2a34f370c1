-- name: page
SELECT d.n, d.tenant_id, d.kind, i.words, i.context
FROM documents d JOIN search_index i ON i.n = d.n
WHERE d.n > :after AND d.n <= :last
ORDER BY d.n;
