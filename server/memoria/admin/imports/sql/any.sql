-- Of any database.

-- name: columns
SELECT t.name AS name, c.name AS column_name
FROM sqlite_schema t JOIN pragma_table_info(t.name) c
WHERE t.type = 'table' AND upper(t.sql) NOT LIKE 'CREATE VIRTUAL%';
