-- name: triggers
SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = :tbl;

-- name: numbers
SELECT name, seq FROM sqlite_sequence;

-- name: numbered
SELECT name FROM sqlite_schema
WHERE type = 'table' AND sql LIKE '%PRIMARY KEY AUTOINCREMENT%';

-- name: raise_number
UPDATE sqlite_sequence SET seq = max(seq, :number) WHERE name = :tbl;

-- name: begin_number
INSERT INTO sqlite_sequence (name, seq)
SELECT :tbl, :number WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :tbl);
