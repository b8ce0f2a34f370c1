-- name: others
-- Connections under the name of this one.
SELECT 1 FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND application_name = current_setting('application_name')
LIMIT 1;

-- name: unlimit
SELECT set_config('statement_timeout', '0', true),
       set_config('idle_in_transaction_session_timeout', '0', true);

-- name: triggers
-- What fills in a row before it is inserted stays: it gives a row its tenant.
SELECT t.tgname FROM pg_trigger t
WHERE t.tgrelid = CAST(:tbl AS regclass) AND NOT t.tgisinternal
  AND t.tgname NOT LIKE '%\_take\_their\_tenant' AND t.tgname NOT LIKE '%\_takes\_its\_tenant';

-- name: numbers
SELECT c.relname, s.last_value
FROM pg_sequences s
JOIN pg_class q ON q.relname = s.sequencename
    AND q.relnamespace = CAST(current_schema() AS regnamespace)
JOIN pg_depend d ON d.objid = q.oid AND d.deptype = 'i'
JOIN pg_class c ON c.oid = d.refobjid
WHERE s.schemaname = current_schema() AND s.last_value IS NOT NULL;
