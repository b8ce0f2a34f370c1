-- Words of documents. Each tenant has an index of its own: what others have said moves no score.

-- What each document is found by: the token of its visibility, the words of its text, and those of
-- who said it and when. `length` counts all of them, the token as one word. `form` is the number of
-- the analyser whose words they are; 0 for none, so that the words are read anew.
CREATE FUNCTION list_tokens(written TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_remove(
    regexp_split_to_array(lower(written COLLATE "C"), '[^0-9a-z_\u0080-\U0010ffff]+'), '');

CREATE TABLE search_index (
    n         BIGINT PRIMARY KEY REFERENCES documents (n) ON DELETE CASCADE,
    tenant_id BIGINT NOT NULL REFERENCES tenants (id),
    scope     TEXT COLLATE "C" NOT NULL,
    words     TEXT COLLATE "C" NOT NULL,
    context   TEXT COLLATE "C" NOT NULL,
    form      BIGINT NOT NULL DEFAULT 0,
    length    INTEGER NOT NULL GENERATED ALWAYS AS
              (1 + cardinality(list_tokens(words)) + cardinality(list_tokens(context))) STORED
);
CREATE INDEX search_index_by_scope ON search_index (tenant_id, scope, n);
CREATE INDEX search_index_by_form ON search_index (form, n);

-- How often a word stands in a document's text, and in who said it and when. Only the index is read:
-- it has all columns. A tenant's words are together in one part, so that the part can be rewritten
-- when the tenant's words have to leave the disk. Of a word without an end, such as a file in letters,
-- an index holds the beginning.
CREATE TABLE postings (
    tenant_id BIGINT NOT NULL,
    term      TEXT COLLATE "C" NOT NULL,
    n         BIGINT NOT NULL,
    words     INTEGER NOT NULL,
    context   INTEGER NOT NULL,
    length    INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, term, n) INCLUDE (words, context, length)
) PARTITION BY HASH (tenant_id);
DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE postings_%s PARTITION OF postings
                        FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END $$;

-- How many documents a tenant has, and how many words in all of them.
CREATE TABLE index_sizes (
    tenant_id BIGINT PRIMARY KEY REFERENCES tenants (id),
    documents BIGINT NOT NULL,
    words     BIGINT NOT NULL
);

-- By statement and not by row, so that a tenant's totals are written once for many documents.
CREATE FUNCTION add_postings() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO postings (tenant_id, term, n, words, context, length)
    SELECT tenant_id, left(term, 500) AS beginning, n, count(*) FILTER (WHERE is_text),
           count(*) FILTER (WHERE NOT is_text), length
    FROM (SELECT d.*, t.term, TRUE AS is_text
          FROM added d CROSS JOIN unnest(list_tokens(d.words)) AS t (term)
          UNION ALL
          SELECT d.*, t.term, FALSE
          FROM added d CROSS JOIN unnest(list_tokens(d.context)) AS t (term)) w
    GROUP BY tenant_id, beginning, n, length;
    INSERT INTO index_sizes AS s (tenant_id, documents, words)
    SELECT tenant_id, count(*), sum(length) FROM added GROUP BY tenant_id
    ON CONFLICT (tenant_id) DO UPDATE
    SET documents = s.documents + excluded.documents, words = s.words + excluded.words;
    RETURN NULL;
END $$;
CREATE TRIGGER documents_add_their_postings AFTER INSERT ON search_index
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_postings();

CREATE FUNCTION drop_postings() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM postings p
    USING (SELECT DISTINCT d.tenant_id, left(t.term, 500) AS term, d.n
           FROM dropped d
           CROSS JOIN unnest(list_tokens(d.words) || list_tokens(d.context)) AS t (term)) d
    WHERE p.tenant_id = d.tenant_id AND p.term = d.term AND p.n = d.n;
    UPDATE index_sizes s
    SET documents = s.documents - d.documents, words = s.words - d.words
    FROM (SELECT tenant_id, count(*) AS documents, sum(length) AS words
          FROM dropped GROUP BY tenant_id) d
    WHERE s.tenant_id = d.tenant_id;
    RETURN NULL;
END $$;
CREATE TRIGGER documents_drop_their_postings AFTER DELETE ON search_index
REFERENCING OLD TABLE AS dropped FOR EACH STATEMENT EXECUTE FUNCTION drop_postings();

CREATE FUNCTION refuse_other_words() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'other words take the place of a document by DELETE and INSERT';
END $$;
CREATE TRIGGER documents_keep_their_words BEFORE UPDATE OF n, tenant_id, words, context ON search_index
FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_words();

-- A list of JSON as an array, with words as the index has them.
CREATE FUNCTION list_texts(written JSONB) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT CASE WHEN strpos(value, ' ') > 0 THEN value ELSE left(value, 500) END
             FROM jsonb_array_elements_text(written));

-- All terms of a query, see `WordQuery`.
CREATE FUNCTION list_terms(query JSONB) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN list_texts(jsonb_path_query_array(query, '$.groups[*][*]'));

-- How often words stand one after the other in a text.
CREATE FUNCTION count_runs(tokens TEXT[], run TEXT[]) RETURNS INTEGER
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT count(*)
        FROM unnest(tokens) WITH ORDINALITY AS t (token, place)
        WHERE t.token = run[1]
          AND tokens[CAST(t.place AS INTEGER):CAST(t.place AS INTEGER) + cardinality(run) - 1] = run);

-- Documents with a phrase, which is looked for in the texts of those that have all of its words.
CREATE FUNCTION find_phrase(tenant BIGINT, phrase TEXT)
RETURNS TABLE (n BIGINT, words INTEGER, context INTEGER, length INTEGER)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
#variable_conflict use_column
DECLARE
    run TEXT[] := list_tokens(phrase);
    terms TEXT[] := ARRAY(SELECT DISTINCT left(unnest(run), 500));
BEGIN
    RETURN QUERY
    SELECT f.*
    FROM (SELECT i.n, count_runs(list_tokens(i.words), run) AS words,
                 count_runs(list_tokens(i.context), run) AS context, i.length
          FROM (SELECT p.n FROM postings p WHERE p.tenant_id = tenant AND p.term = ANY (terms)
                GROUP BY p.n HAVING count(*) = cardinality(terms)) h
          JOIN search_index i ON i.n = h.n OFFSET 0) f
    WHERE f.words + f.context > 0;
END $$;

-- Where terms stand: a row a term and document.
CREATE FUNCTION find_words(tenant BIGINT, terms TEXT[])
RETURNS TABLE (term TEXT, n BIGINT, words INTEGER, context INTEGER, length INTEGER)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.term, p.n, p.words, p.context, p.length
    FROM postings p
    WHERE p.tenant_id = tenant AND p.term = ANY (terms)
    UNION ALL
    SELECT t.term, f.n, f.words, f.context, f.length
    FROM (SELECT DISTINCT unnest(terms) AS term) t
    CROSS JOIN LATERAL find_phrase(tenant, t.term) f
    WHERE strpos(t.term, ' ') > 0
$$;

-- Documents that hold any of a query's terms, best first by BM25 as FTS5 has it: k1 is 1.2 and b
-- 0.75, and no term weighs nothing. Words of who said it and when count less. Whole multiples of
-- 1e-12 are added, which gives the same sum in whatever order the rows are read.
CREATE FUNCTION rank_documents(tenant BIGINT, query JSONB, context_weight DOUBLE PRECISION)
RETURNS TABLE (n BIGINT, score DOUBLE PRECISION)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH held AS MATERIALIZED (
        SELECT w.term, w.n, w.words + context_weight * w.context AS times, w.length
        FROM find_words(tenant, list_terms(query)) w
    ), size AS (
        SELECT s.documents, CAST(0.9 AS DOUBLE PRECISION) * s.documents / nullif(s.words, 0) AS per_word
        FROM index_sizes s WHERE s.tenant_id = tenant
    ), terms AS (
        SELECT h.term, 2.2 * greatest(ln(CAST((s.documents - h.many + 0.5) / (h.many + 0.5)
                                              AS DOUBLE PRECISION)), 1e-6) AS weight
        FROM (SELECT term, count(*) AS many FROM held GROUP BY term) h CROSS JOIN size s
    )
    SELECT h.n,
           sum(round(1e12 * t.weight * h.times / (h.times + 0.3 + s.per_word * h.length))) / 1e12
           AS score
    FROM held h JOIN terms t ON t.term = h.term CROSS JOIN size s
    GROUP BY h.n
    ORDER BY score DESC, h.n
$$;

-- Documents whose text holds all terms of one of a query's groups.
CREATE FUNCTION find_documents(tenant BIGINT, query JSONB) RETURNS TABLE (n BIGINT)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.n
    FROM (SELECT w.n, array_agg(w.term) AS terms
          FROM find_words(tenant, list_terms(query)) w
          WHERE w.words > 0
          GROUP BY w.n
          HAVING count(*) >= (SELECT min(jsonb_array_length(g.terms))
                              FROM jsonb_array_elements(query -> 'groups') AS g (terms))) h
    JOIN search_index i ON i.n = h.n
    WHERE EXISTS (SELECT 1 FROM jsonb_array_elements(query -> 'groups') AS g (terms)
                  WHERE h.terms @> list_texts(g.terms))
      AND i.scope = ANY (list_texts(query -> 'scopes'))
$$;

CALL separate_tenants();
