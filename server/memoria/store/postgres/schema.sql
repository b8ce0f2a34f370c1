-- Run before a home's statements can be: parameters are written as psycopg has them.

-- name: lock
-- MEMO in ASCII. A lock of two numbers is none of those of one number, which are tenants'.
SELECT pg_advisory_xact_lock(1296387407, 0);

-- name: work_on_all_tenants
SELECT set_config('memoria.tenant', '0', TRUE);

-- name: has_versions
SELECT to_regclass(quote_ident(current_schema()) || '.schema_version') IS NOT NULL;

-- name: newest
SELECT max(number) FROM schema_version;

-- name: note
INSERT INTO schema_version (number) VALUES (%(number)s);
