-- name: page
SELECT d.n, d.tenant_id, d.kind, i.c1 AS words, i.c2 AS context
FROM documents d CROSS JOIN search_index_content i ON i.id = d.n
WHERE d.n > :after AND d.n <= :last
ORDER BY d.n;
