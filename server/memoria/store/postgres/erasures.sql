-- name: clear_full_text
DELETE FROM search_index WHERE tenant_id = :tenant;

-- name: count_full_text
SELECT count(*) FROM search_index
WHERE n IN (SELECT value FROM {numbers :documents}) AND tenant_id = :tenant;

-- name: count_all_full_text
SELECT count(*) FROM search_index WHERE tenant_id = :tenant;
