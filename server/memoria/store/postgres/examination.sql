-- name: documents_of
SELECT n, tenant_id, kind, workspace_n, current, suppressed, processed FROM documents
WHERE tenant_id = :tenant AND n > :after
ORDER BY n
LIMIT :limit;

-- name: erase_page
DELETE FROM search_index WHERE tenant_id = :tenant AND n > :after AND n <= :last;

-- name: drop_stray_postings
DELETE FROM postings p
WHERE p.tenant_id = :tenant AND NOT EXISTS (SELECT 1 FROM search_index s WHERE s.n = p.n);

-- name: count_words
INSERT INTO index_sizes (tenant_id, documents, words)
SELECT :tenant, count(*), coalesce(sum(length), 0) FROM search_index WHERE tenant_id = :tenant
ON CONFLICT (tenant_id) DO UPDATE SET documents = excluded.documents, words = excluded.words;

-- name: unlimit
-- To look at everything may take as long as it takes.
SELECT set_config('statement_timeout', '0', TRUE);

-- name: server
SELECT current_setting('server_version') AS version,
       CAST(current_setting('server_version_num') AS BIGINT) AS number,
       current_setting('server_encoding') AS encoding,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
       EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') AS has_vector;

-- name: role
SELECT rolname AS name, rolsuper OR rolbypassrls AS sees_all
FROM pg_roles WHERE rolname = current_user;

-- name: shared_tables
-- Tables of which row-level security does not keep tenants apart.
SELECT CAST(CAST(c.oid AS REGCLASS) AS TEXT) AS name
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE)
  AND c.relkind IN ('r', 'p') AND a.attname = 'tenant_id' AND NOT a.attisdropped
  AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
ORDER BY name;

-- name: objects
-- Tables, indexes and triggers that work: a switched-off trigger is as good as none.
SELECT c.relname AS name FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relnamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE)
  AND coalesce(i.indisvalid, TRUE)
UNION ALL
SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = CAST(quote_ident(current_schema()) AS REGNAMESPACE) AND t.tgenabled <> 'D';

-- name: full_text_drift
-- A document of which nothing but its visibility is indexed has one token and no posting.
SELECT (SELECT count(*) FROM documents) AS documents,
       (SELECT count(*) FROM documents d
        WHERE NOT EXISTS (SELECT 1 FROM search_index s WHERE s.n = d.n))
     + (SELECT count(*) FROM search_index s
        WHERE s.length > 1
          AND NOT EXISTS (SELECT 1 FROM postings p
                          WHERE p.tenant_id = s.tenant_id AND p.n = s.n)) AS missing,
       (SELECT count(*) FROM (SELECT DISTINCT tenant_id, n FROM postings) p
        WHERE NOT EXISTS (SELECT 1 FROM search_index s
                          WHERE s.tenant_id = p.tenant_id AND s.n = p.n)) AS extra;

-- name: count_wrong_sizes
SELECT count(*)
FROM index_sizes z
FULL JOIN (SELECT tenant_id, count(*) AS documents, sum(length) AS words
           FROM search_index GROUP BY tenant_id) s ON s.tenant_id = z.tenant_id
WHERE (coalesce(z.documents, 0), coalesce(z.words, 0))
      IS DISTINCT FROM (coalesce(s.documents, 0), coalesce(s.words, 0));

-- name: durability
SELECT name, setting FROM pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names');

-- name: archiving
SELECT current_setting('archive_mode') <> 'off' AS is_archiving;

-- name: holders
-- Whoever keeps erased rows from leaving. Of other users' transactions only some users see the age.
SELECT 'the prepared transaction ' || gid AS name, prepared AS since
FROM pg_prepared_xacts WHERE database = current_database()
UNION ALL
SELECT 'the replication slot ' || slot_name, NULL FROM pg_replication_slots
WHERE xmin IS NOT NULL OR database = current_database() OR NOT active
UNION ALL
SELECT 'the database, whose statistics belong to its owner and not to this user', NULL
FROM pg_database WHERE datname = current_database() AND NOT pg_has_role(datdba, 'USAGE')
UNION ALL
SELECT 'the transaction of process ' || pid, xact_start FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
  AND xact_start < to_timestamp(CAST(:since AS BIGINT) / 1000.0);

-- name: logging
-- What writes statements into the server's own log, with what was said in them.
SELECT name, setting FROM pg_settings
WHERE (current_setting('log_parameter_max_length') <> '0'
       AND (name = 'log_statement' AND setting IN ('mod', 'all')
            OR name IN ('log_min_duration_statement', 'log_min_duration_sample')
               AND setting <> '-1'))
   OR (name = 'log_parameter_max_length_on_error' AND setting <> '0')
ORDER BY name;
