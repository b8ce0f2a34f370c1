-- name: index_document
INSERT INTO search_index (rowid, scope, words, context) VALUES (:n, :scope, :words, :context);

-- name: erase_tokens
DELETE FROM search_index WHERE rowid = :n;

-- name: want_scrub
INSERT INTO settings (key, value) VALUES ('scrub', lower(hex(randomblob(8))))
ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: set_scope
UPDATE search_index SET scope = :scope WHERE rowid = :n;

-- name: match
SELECT rowid AS n, -bm25(search_index, 0.0, 1.0, :context_weight) AS score
FROM search_index
WHERE search_index MATCH :query
ORDER BY score DESC, n
LIMIT :limit;

-- name: vocabulary
SELECT term FROM temp.vocabulary WHERE term >= :first AND term < :last;

-- name: match_newest
-- For a word that stands in more documents than can be scored: that it does tells nothing of them.
SELECT rowid AS n, 1.0 AS score FROM search_index
WHERE search_index MATCH :query
ORDER BY rowid DESC
LIMIT :limit;

-- name: match_filtered
-- With a plus, so that FTS5 matches once and not once for every allowed document.
SELECT rowid AS n, -bm25(search_index, 0.0, 1.0, :context_weight) AS score
FROM search_index
WHERE search_index MATCH :query
  AND rowid BETWEEN :first AND :last
  AND +rowid IN (SELECT value FROM {numbers :allowed})
ORDER BY score DESC, n
LIMIT :limit;

-- name: words
-- From the table in which the index keeps its columns, as the next: by way of the index itself a row
-- costs twice as much.
SELECT d.n, i.c1 AS words
FROM documents d CROSS JOIN search_index_content i ON i.id = d.n
WHERE d.n IN (SELECT value FROM {numbers :ns}) AND +d.tenant_id = :tenant;

-- name: indexed
-- As one run of bytes: see `IndexTokens`.
SELECT d.n, CAST(i.c1 || char(10) || i.c2 AS BLOB) AS packed, d.changed
FROM documents d CROSS JOIN search_index_content i ON i.id = d.n
WHERE d.n IN (SELECT value FROM {numbers :ns}) AND +d.tenant_id = :tenant
  AND length(i.c1) + length(i.c2) <= :most;

-- name: places
SELECT q.value AS term, (
    -- A number for each time: twice the document's, and one more in who said it and when.
    SELECT group_concat(2 * o.doc + CASE o.col WHEN 'words' THEN 0 WHEN 'context' THEN 1 END)
    FROM temp.occurrences o WHERE o.term = q.value) AS places
FROM {texts :terms} q;

-- name: standings
-- The sizes are in words, each column's by itself.
SELECT d.n, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed, d.changed,
       s.sz AS sizes
FROM {numbers :ns} w
CROSS JOIN documents d ON d.n = w.value
CROSS JOIN search_index_docsize s ON s.id = d.n
WHERE +d.tenant_id = :tenant;

-- name: all_standings
SELECT d.n, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed, d.changed,
       s.sz AS sizes
FROM documents d
CROSS JOIN search_index_docsize s ON s.id = d.n
WHERE +d.tenant_id = :tenant AND d.n > :after
ORDER BY d.n
LIMIT :limit;

-- name: index_size
-- Row 1 has how many rows there are, and how many words in each column.
SELECT (SELECT coalesce(max(n), 0) FROM documents),
       (SELECT block FROM search_index_data WHERE id = 1);

-- name: few_changed
-- `changed > 0` lets the index be used, which has no other rows; said last, it is entered at :after.
SELECT d.n, d.changed, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed,
       i.c1 AS words, i.c2 AS context
FROM documents d
LEFT JOIN search_index_content i ON i.id = d.n
WHERE d.tenant_id = :tenant AND d.changed > :after AND d.changed > 0
ORDER BY d.changed
LIMIT :most;

-- name: few_added
SELECT d.n, d.changed, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed,
       i.c1 AS words, i.c2 AS context
FROM documents d
LEFT JOIN search_index_content i ON i.id = d.n
WHERE d.n > :after AND +d.tenant_id = :tenant AND d.changed = 0
ORDER BY d.n
LIMIT :most;

-- name: count_up_to
SELECT q.value AS query, (
    SELECT count(*) FROM (
        SELECT 1 FROM search_index WHERE search_index MATCH q.value AND rowid <= :last LIMIT :most)
) AS total
FROM {texts :queries} q;

-- name: count_each
SELECT q.value AS query,
       (SELECT count(*) FROM search_index WHERE search_index MATCH q.value) AS total
FROM {texts :queries} q;

-- name: count_matches
SELECT count(*) AS hidden FROM search_index WHERE search_index MATCH :query;

-- name: elsewhere
SELECT i.rowid AS n, w.name
FROM search_index i
CROSS JOIN documents d ON d.n = i.rowid
CROSS JOIN workspaces w ON w.n = d.workspace_n
WHERE search_index MATCH :query AND +d.tenant_id = :tenant
ORDER BY i.rowid DESC LIMIT :limit;

-- name: matching
SELECT rowid AS n FROM search_index WHERE search_index MATCH :query ORDER BY rowid;
