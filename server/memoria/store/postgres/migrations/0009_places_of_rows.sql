-- A vector of 2 KB stays in its row. Out of line, where PostgreSQL puts what is larger, reading each of
-- a hundred takes half as long again. Those written before move when their table is written anew.
ALTER TABLE embeddings SET (toast_tuple_target = 8160);

-- Words are counted in an index alone as far as a vacuum has noted pages that everybody sees whole. By
-- default it comes when a table has grown by a fifth.
ALTER TABLE search_index SET (autovacuum_vacuum_insert_scale_factor = 0.02);
DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('ALTER TABLE postings_%s SET (autovacuum_vacuum_insert_scale_factor = 0.02)', part);
    END LOOP;
END $$;
