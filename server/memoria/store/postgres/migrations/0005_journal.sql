-- Rows as they were before a nightly run or a forget with a period of grace changed them.
--
-- Triggers record them while a transaction has set `memoria.run` (and `memoria.step`) or
-- `memoria.report`; they see what cascades and other triggers change as well. The forms are those
-- of SQLite's journal, so that a run may be undone in another database than it was in.

-- The columns of a table that hold the truth. Others are derived: `tenant_id` of a use is that of
-- its node. `key` is the place in the primary key from 1; 0 outside of it.
CREATE FUNCTION columns_of(tbl TEXT) RETURNS TABLE (name TEXT, type TEXT, key BIGINT)
LANGUAGE sql STABLE AS $$
    SELECT a.attname, format_type(a.atttypid, NULL),
           coalesce(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum) + 1, 0)
    FROM pg_attribute a
    JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = CAST(tbl AS regclass) AND a.attnum > 0
      AND NOT a.attisdropped AND a.attgenerated = ''
      AND (tbl, a.attname) NOT IN (('documents', 'changed'), ('name_uses', 'tenant_id'))
    ORDER BY a.attnum
$$;

-- Bytes and numbers with a point are told from texts and whole numbers; a flag is 1 or 0.
CREATE FUNCTION cell_of(cell JSONB, type TEXT) RETURNS JSONB LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN cell = 'null' THEN cell
    WHEN type = 'bytea' THEN jsonb_build_object('hex', upper(substr(cell #>> '{}', 3)))
    WHEN type = 'double precision' THEN jsonb_build_object('real', cell #>> '{}')
    WHEN type = 'boolean' THEN to_jsonb(CAST(CAST(cell AS BOOLEAN) AS INTEGER))
    ELSE cell END;

-- The image of a change: of an update {column: [before, after]}, NULL where nothing changed. That
-- of a new row holds no text.
CREATE FUNCTION image_of_change(op TEXT, before JSONB, after JSONB, types JSONB)
RETURNS JSONB LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF op = 'UPDATE' THEN
        RETURN (
            SELECT jsonb_object_agg(b.key, jsonb_build_array(
                       cell_of(b.value, types ->> b.key), cell_of(after -> b.key, types ->> b.key)))
            FROM jsonb_each(before) b
            WHERE b.value <> after -> b.key AND types ? b.key);
    END IF;
    RETURN (
        SELECT jsonb_object_agg(t.key, cell_of(coalesce(before, after) -> t.key, t.value))
        FROM jsonb_each_text(types) t
        WHERE op = 'DELETE' OR t.value NOT IN ('text', 'bytea'));
END $$;

-- A list in JSON as SQLite writes one, so that keys mean the same wherever a journal moves to.
CREATE FUNCTION write_list(parts JSONB) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT concat('[', string_agg(CAST(p.value AS TEXT), ',' ORDER BY p.ordinality), ']')
    FROM jsonb_array_elements(parts) WITH ORDINALITY p
$$;

CREATE FUNCTION key_of(cells JSONB, columns JSONB) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT write_list(jsonb_agg(cells -> c.value ORDER BY c.ordinality))
    FROM jsonb_array_elements_text(columns) WITH ORDINALITY c
$$;

-- Whom a row speaks of: the memory and the turn with which its image is erased. A name goes with
-- its last use, which was recorded just before.
CREATE FUNCTION owner_of(tbl TEXT, cells JSONB, run BIGINT, OUT memory BIGINT, OUT turn BIGINT)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    node BIGINT := CASE tbl WHEN 'edges' THEN cells ->> 'src_n'
                            WHEN 'name_uses' THEN cells ->> 'node_n' END;
BEGIN
    memory := CASE tbl WHEN 'memories' THEN cells ->> 'n' ELSE cells ->> 'memory_n' END;
    turn := cells ->> 'turn_n';
    IF tbl = 'entity_names' THEN
        SELECT c.memory_n, c.turn_n INTO memory, turn FROM nightly_changes c
        WHERE c.run_n = run AND c.tbl = 'name_uses' AND c.op = 'delete'
          AND c.key LIKE concat('[', cells ->> 'n', ',%')
        ORDER BY c.seq DESC LIMIT 1;
    ELSIF node IS NOT NULL THEN
        SELECT b.memory_n,
               CASE tbl WHEN 'edges' THEN turn ELSE coalesce(b.turn_n, v.turn_n) END
        INTO memory, turn
        FROM nodes b LEFT JOIN memory_versions v ON v.memory_n = b.memory_n
        WHERE b.n = node ORDER BY v.version DESC LIMIT 1;
    END IF;
END $$;

CREATE FUNCTION journal_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    before JSONB := to_jsonb(OLD);
    after JSONB := to_jsonb(NEW);
    cells JSONB := coalesce(after, before);
    noted JSONB := image_of_change(TG_OP, before, after, CAST(TG_ARGV[0] AS JSONB));
    run BIGINT := current_setting('memoria.run');
    owner RECORD;
BEGIN
    IF noted IS NOT NULL THEN
        owner := owner_of(TG_TABLE_NAME, cells, run);
        INSERT INTO nightly_changes (run_n, seq, step, tbl, op, key, image, memory_n, turn_n)
        SELECT run, 1 + coalesce(max(c.seq), 0), CAST(current_setting('memoria.step') AS BIGINT),
               TG_TABLE_NAME, lower(TG_OP), key_of(cells, CAST(TG_ARGV[1] AS JSONB)), noted,
               owner.memory, owner.turn
        FROM nightly_changes c WHERE c.run_n = run;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION hide_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    before JSONB := to_jsonb(OLD);
    after JSONB := to_jsonb(NEW);
    cells JSONB := coalesce(after, before);
    noted JSONB := image_of_change(TG_OP, before, after, CAST(TG_ARGV[0] AS JSONB));
BEGIN
    IF noted IS NOT NULL THEN
        INSERT INTO hidden_changes (tenant_id, report_id, tbl, op, key, image)
        VALUES (CAST(cells ->> 'tenant_id' AS BIGINT), current_setting('memoria.report'),
                TG_TABLE_NAME, lower(TG_OP), key_of(cells, CAST(TG_ARGV[1] AS JSONB)), noted);
    END IF;
    RETURN NULL;
END $$;

-- Whoever gives one of the tables another column does this anew: a trigger knows the columns.
CREATE FUNCTION watch_rows(function TEXT, setting TEXT, tables TEXT[]) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    tbl TEXT;
    types JSONB;
    key_columns JSONB;
BEGIN
    FOREACH tbl IN ARRAY tables LOOP
        SELECT jsonb_object_agg(name, type), jsonb_agg(name ORDER BY key) FILTER (WHERE key > 0)
        INTO types, key_columns FROM columns_of(tbl);
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER %1$I AFTER INSERT OR UPDATE OR DELETE ON %2$I FOR EACH ROW '
            'WHEN (current_setting(%3$L, TRUE) <> '''') EXECUTE FUNCTION %1$I(%4$L, %5$L)',
            function, tbl, setting, types, key_columns);
    END LOOP;
END $$;

SELECT watch_rows('journal_change', 'memoria.run', ARRAY[
    'memories', 'memory_versions', 'memory_evidence', 'documents', 'nodes', 'entities',
    'entity_names', 'name_uses', 'edges', 'episodes', 'segments', 'extraction_queue', 'scratchpads',
    'completed_tasks', 'workspaces', 'core_lines', 'core_files', 'generated_files']);
SELECT watch_rows('hide_change', 'memoria.report', ARRAY[
    'memories', 'memory_versions', 'memory_evidence', 'documents', 'nodes', 'entities',
    'entity_names', 'name_uses', 'edges', 'episodes', 'segments', 'extraction_queue', 'scratchpads',
    'completed_tasks', 'workspaces', 'core_lines', 'turns', 'tombstones', 'tombstone_digests',
    'tombstone_vectors']);
