-- Columns whose rows are deleted or emptied with a row of another table, by its number.
(SELECT CAST(CAST(k.conrelid AS regclass) AS TEXT) AS tbl, a.attname AS col,
        CAST(CAST(k.confrelid AS regclass) AS TEXT) AS parent
 FROM pg_constraint k
 JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[cardinality(k.conkey)]
 WHERE k.contype = 'f' AND k.confdeltype IN ('c', 'n'))
