-- name: requests
-- When a tenant's first erasure was asked to be wiped, and which was the last.
SELECT key, value, CAST(split_part(value, ' ', 1) AS BIGINT) AS since
FROM settings WHERE key LIKE 'scrub %';

-- name: last
SELECT CAST(value AS BIGINT) FROM settings WHERE key = 'scrubbed';

-- name: done
DELETE FROM settings WHERE key = :key AND value = :value;

-- name: note
INSERT INTO settings (key, value) VALUES ('scrubbed', :at)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: fill_probe
INSERT INTO erasure_probe (n) VALUES (1) ON CONFLICT DO NOTHING;

-- name: empty_probe
DELETE FROM erasure_probe;

-- name: probe_bytes
SELECT pg_relation_size('erasure_probe');

-- name: limit
-- Whoever waits for a table lets nobody else begin with it. How long the work takes has no limit.
SELECT set_config('lock_timeout', :lock_ms, TRUE), set_config('statement_timeout', '0', TRUE);

-- name: tables
-- Partitions are tables of their own. The largest come last, when the rest is done.
SELECT CAST(CAST(c.oid AS REGCLASS) AS TEXT) AS name, quote_ident(i.relname) AS key
FROM pg_class c
JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary
JOIN pg_class i ON i.oid = x.indexrelid
WHERE c.relnamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE) AND c.relkind = 'r'
ORDER BY pg_table_size(c.oid);

-- name: may_rewrite_statistics
-- The catalog is the database's owner's to write anew. A slot for logical replication keeps what was
-- in it.
SELECT pg_has_role(d.datdba, 'USAGE')
       AND NOT EXISTS (SELECT 1 FROM pg_replication_slots r
                       WHERE r.database = d.datname AND r.catalog_xmin IS NOT NULL)
FROM pg_database d WHERE d.datname = current_database();

-- name: drop_statistics
-- Of every column of a table and its parts: ANALYZE leaves those of a table that is empty by now.
SELECT count(pg_clear_attribute_stats(CAST(current_schema() AS TEXT), CAST(c.relname AS TEXT),
                                      CAST(a.attname AS TEXT), i.is_inherited))
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN (VALUES (FALSE), (TRUE)) AS i (is_inherited) ON TRUE
WHERE c.oid = CAST(:name AS REGCLASS)
   OR c.oid IN (SELECT relid FROM pg_partition_tree(CAST(:name AS REGCLASS)));

-- name: analyzed_tables
-- A partitioned table stands for its parts.
SELECT CAST(CAST(c.oid AS REGCLASS) AS TEXT) AS name FROM pg_class c
WHERE c.relnamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE)
  AND c.relkind IN ('r', 'p') AND NOT c.relispartition;
