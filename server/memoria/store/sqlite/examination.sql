-- name: full_text_drift
SELECT (SELECT count(*) FROM documents) AS documents,
       (SELECT count(*) FROM documents
        WHERE n NOT IN (SELECT id FROM search_index_content)) AS missing,
       (SELECT count(*) FROM search_index_content
        WHERE id NOT IN (SELECT n FROM documents)) AS extra;

-- name: tables
SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name;

-- name: indexes
SELECT name, rootpage FROM sqlite_schema WHERE type = 'index';

-- name: definitions
SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL;

-- name: forget_table
DELETE FROM sqlite_schema WHERE tbl_name = :name OR tbl_name GLOB :name || '_*';

-- name: forget_indexes
DELETE FROM sqlite_schema WHERE type = 'index' AND tbl_name = :name AND sql IS NOT NULL
RETURNING name;
