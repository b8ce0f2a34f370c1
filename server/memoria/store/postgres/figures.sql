-- name: bytes
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'm');
