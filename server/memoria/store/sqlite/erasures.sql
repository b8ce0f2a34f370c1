-- name: clear_full_text
DELETE FROM search_index WHERE rowid IN (SELECT n FROM documents WHERE tenant_id = :tenant);

-- name: count_full_text
SELECT count(*) FROM {numbers :documents} w CROSS JOIN search_index i ON i.rowid = w.value;

-- name: count_all_full_text
SELECT count(*) FROM documents d CROSS JOIN search_index i ON i.rowid = d.n
WHERE d.tenant_id = :tenant;
