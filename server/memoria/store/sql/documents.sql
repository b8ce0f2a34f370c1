-- name: add_document
INSERT INTO documents (tenant_id, kind, workspace_n, suppressed)
VALUES (:tenant, :kind, :workspace, :suppressed);

-- name: index_document
INSERT INTO search_index (rowid, scope, words, context) VALUES (:n, :scope, :words, :context);

-- name: note_words
-- Where all documents before it have the words of this version, it has them as well: see
-- `word_renewal`.
WITH former AS (SELECT coalesce(max(n), 0) AS last FROM documents WHERE n < :n)
INSERT INTO settings (key, value)
SELECT 'words', :form || ':' || :n FROM former
WHERE last = 0 OR EXISTS (
    SELECT 1 FROM settings WHERE key = 'words' AND value = :form || ':' || last)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: await_vector
INSERT INTO embedding_backlog (document_n, tenant_id) VALUES (:n, :tenant);

-- name: await_vector_if_missing
INSERT INTO embedding_backlog (document_n, tenant_id)
SELECT :n, :tenant WHERE NOT EXISTS (
    SELECT 1 FROM embeddings e
    JOIN embedding_models m ON m.n = e.model_n
    JOIN settings s ON s.key = 'embedding_model' AND s.value = m.name
    WHERE e.document_n = :n)
ON CONFLICT DO UPDATE SET has_vector = 0;

-- name: set_current
UPDATE documents SET current = :current WHERE n = :n AND tenant_id = :tenant;

-- name: set_workspace
UPDATE documents SET workspace_n = :workspace WHERE n = :n AND tenant_id = :tenant;

-- name: suppress
UPDATE documents SET suppressed = 1 WHERE n = :n AND tenant_id = :tenant;

-- name: mark_processed
UPDATE documents SET processed = 1 WHERE n = :n AND tenant_id = :tenant;

-- name: drop_turn_links
-- What a turn names: 3 is MENTIONS.
DELETE FROM edges
WHERE +tenant_id = :tenant AND code = 3 AND src_n = (SELECT n FROM nodes WHERE turn_n = :n);

-- name: drop_turn_names
DELETE FROM name_uses
WHERE node_n = (SELECT n FROM nodes WHERE turn_n = :n AND +tenant_id = :tenant);

-- name: visibility
SELECT n, kind, tenant_id, workspace_n, current, suppressed, processed FROM documents
WHERE n = :n AND tenant_id = :tenant;

-- name: erase_embeddings
DELETE FROM embeddings WHERE document_n = :n;

-- name: erase_tokens
DELETE FROM search_index WHERE rowid = :n;

-- name: erase_document
DELETE FROM documents WHERE n = :n AND tenant_id = :tenant;

-- name: count_change
UPDATE tenants SET changes = changes + 1 WHERE id = :tenant;

-- name: count_erasure
UPDATE tenants SET changes = changes + 1, last_erasure = changes + 1 WHERE id = :tenant;

-- name: want_scrub
INSERT INTO settings (key, value) VALUES ('scrub', lower(hex(randomblob(8))))
ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: note_change
UPDATE documents SET changed = (SELECT changes FROM tenants WHERE id = :tenant)
WHERE n = :n AND changed > 0;

-- name: set_scope
UPDATE search_index SET scope = :scope WHERE rowid = :n;

-- name: leave_backlog
DELETE FROM embedding_backlog WHERE document_n = :n;

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
  AND +rowid IN (SELECT value FROM json_each(:allowed))
ORDER BY score DESC, n
LIMIT :limit;

-- name: seen
SELECT d.n FROM documents d
WHERE d.n IN (SELECT value FROM json_each(:ns)) AND +d.tenant_id = :tenant AND {may_be_seen};

-- name: passing_turns
SELECT t.n FROM turns t
WHERE t.n IN (SELECT value FROM json_each(:ns)) AND +t.tenant_id = :tenant
  AND (:since IS NULL OR t.at >= :since)
  AND (:until IS NULL OR t.at < :until)
  AND (:session_id IS NULL OR t.session_n IN (
       SELECT n FROM sessions WHERE tenant_id = :tenant AND session_id = :session_id))
  AND (:roles IS NULL OR t.role IN (SELECT value FROM json_each(:roles)))
  AND (:tool IS NULL OR t.tool_name = :tool);

-- name: passing_memories
SELECT v.n
FROM memory_versions v
JOIN memories m ON m.n = v.memory_n
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN sessions s ON s.n = t.session_n
WHERE v.n IN (SELECT value FROM json_each(:ns)) AND +v.tenant_id = :tenant
  AND (:since IS NULL OR v.valid_from >= :since)
  AND (:until IS NULL OR v.valid_from < :until)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:tasks IS NULL OR m.task IN (SELECT value FROM json_each(:tasks)));

-- name: words
-- From the table in which the index keeps its columns, as the next: by way of the index itself a row
-- costs twice as much.
SELECT d.n, i.c1 AS words
FROM documents d CROSS JOIN search_index_content i ON i.id = d.n
WHERE d.n IN (SELECT value FROM json_each(:ns)) AND +d.tenant_id = :tenant;

-- name: indexed
-- As one run of bytes: see `IndexTokens`.
SELECT d.n, CAST(i.c1 || char(10) || i.c2 AS BLOB) AS packed, d.changed
FROM documents d CROSS JOIN search_index_content i ON i.id = d.n
WHERE d.n IN (SELECT value FROM json_each(:ns)) AND +d.tenant_id = :tenant
  AND length(i.c1) + length(i.c2) <= :most;

-- name: note_newest
UPDATE tenants SET newest_document = :n WHERE id = :tenant;

-- name: has_other_tenants
SELECT EXISTS (SELECT 1 FROM tenants WHERE id <> :tenant);

-- name: newest_of_all
SELECT coalesce(max(n), 0) FROM documents;

-- name: count_all
SELECT count(*) FROM documents;

-- name: places
SELECT q.value AS term, (
    -- A number for each time: twice the document's, and one more in who said it and when.
    SELECT group_concat(2 * o.doc + CASE o.col WHEN 'words' THEN 0 WHEN 'context' THEN 1 END)
    FROM temp.occurrences o WHERE o.term = q.value) AS places
FROM json_each(:terms) q;

-- name: standings
-- The sizes are in words, each column's by itself.
SELECT d.n, d.kind, d.tenant_id, d.workspace_n, d.current, d.suppressed, d.processed, d.changed,
       s.sz AS sizes
FROM json_each(:ns) w
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

-- name: changed_since
SELECT n FROM documents WHERE tenant_id = :tenant AND changed > :seen AND changed > 0;

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
FROM json_each(:queries) q;

-- name: count_each
SELECT q.value AS query,
       (SELECT count(*) FROM search_index WHERE search_index MATCH q.value) AS total
FROM json_each(:queries) q;

-- name: age
SELECT changes, newest_document FROM tenants WHERE id = :tenant;

-- name: erasures_of_all
SELECT coalesce(sum(last_erasure), 0) FROM tenants;

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

-- name: page
SELECT n FROM documents WHERE +tenant_id = :tenant AND kind = :kind AND n > :after
ORDER BY n LIMIT :limit;

-- name: passage_signs
-- In this order, so that each document is looked up once.
SELECT p.document_n AS n, p.signs
FROM json_each(:ns) w
CROSS JOIN passages p ON p.model_n = :model AND p.document_n = w.value
CROSS JOIN documents d ON d.n = p.document_n AND +d.tenant_id = :tenant;

-- name: passage_records
SELECT p.document_n AS n, p.records
FROM json_each(:ns) w
CROSS JOIN passages p ON p.model_n = :model AND p.document_n = w.value
CROSS JOIN documents d ON d.n = p.document_n AND +d.tenant_id = :tenant;

-- name: vectors
SELECT e.document_n AS n, e.vector
FROM json_each(:ns) w
CROSS JOIN embeddings e ON e.model_n = :model AND e.document_n = w.value
CROSS JOIN documents d ON d.n = e.document_n AND +d.tenant_id = :tenant;

-- name: oldest_awaiting
SELECT coalesce(min(document_n), 9223372036854775807) FROM embedding_backlog
WHERE tenant_id = :tenant AND NOT has_vector;

-- name: awaiting_vectors
SELECT document_n AS n FROM embedding_backlog
WHERE document_n IN (SELECT value FROM json_each(:ns)) AND +tenant_id = :tenant AND NOT has_vector;

-- name: is_long_period
-- Read off the indexes over times alone, and not where the numbers of all documents are too low.
SELECT 1
FROM tenants k
WHERE k.id = :tenant AND k.newest_document > :few
  AND (
    (:turns AND (
        SELECT 1
        FROM turns t
        WHERE t.tenant_id = :tenant
          AND t.at >= coalesce(:since, -9223372036854775807)
          AND t.at < coalesce(:until, 9223372036854775807)
        LIMIT 1 OFFSET :few
    ) IS NOT NULL)
    OR (:memories AND (
        SELECT 1
        FROM memory_versions v
        WHERE v.tenant_id = :tenant
          AND v.valid_from >= coalesce(:since, -9223372036854775807)
          AND v.valid_from < coalesce(:until, 9223372036854775807)
        LIMIT 1 OFFSET :few
    ) IS NOT NULL)
  );

-- name: allowed_turns
-- Without a bound, a bound beyond all times: the index over times serves either way.
SELECT t.n
FROM turns t
JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant
  AND (:history OR d.current)
  AND t.at >= coalesce(:since, -9223372036854775807)
  AND t.at < coalesce(:until, 9223372036854775807)
  AND (:roles IS NULL OR t.role IN (SELECT value FROM json_each(:roles)))
  AND (:tool IS NULL OR t.tool_name = :tool)
LIMIT :most;

-- name: allowed_turns_of_session
SELECT t.n
FROM sessions s
CROSS JOIN turns t ON t.session_n = s.n
JOIN documents d ON d.n = t.n
WHERE s.tenant_id = :tenant AND s.session_id = :session_id AND +t.tenant_id = :tenant
  AND (:history OR d.current)
  AND (:since IS NULL OR t.at >= :since)
  AND (:until IS NULL OR t.at < :until)
  AND (:roles IS NULL OR t.role IN (SELECT value FROM json_each(:roles)))
  AND (:tool IS NULL OR t.tool_name = :tool)
LIMIT :most;

-- name: allowed_memories
-- As with turns, the index over times serves with bounds and without.
SELECT v.n
FROM memory_versions v
JOIN documents d ON d.n = v.n
JOIN memories m ON m.n = v.memory_n
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN sessions s ON s.n = t.session_n
WHERE v.tenant_id = :tenant
  AND (:history OR d.current)
  AND v.valid_from >= coalesce(:since, -9223372036854775807)
  AND v.valid_from < coalesce(:until, 9223372036854775807)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:tasks IS NULL OR m.task IN (SELECT value FROM json_each(:tasks)))
LIMIT :most;

-- name: allowed_memories_of_tasks
-- The same, from the few memories of these tasks on.
SELECT v.n
FROM memories m
CROSS JOIN memory_versions v ON v.memory_n = m.n AND +v.tenant_id = :tenant
CROSS JOIN documents d ON d.n = v.n
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN sessions s ON s.n = t.session_n
WHERE m.tenant_id = :tenant
  AND (:history OR d.current)
  AND (:since IS NULL OR v.valid_from >= :since)
  AND (:until IS NULL OR v.valid_from < :until)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND m.task IN (SELECT value FROM json_each(:tasks))
LIMIT :most;

-- name: recent_turns
SELECT t.n, t.at
FROM turns t
CROSS JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant
  AND (:history OR d.current)
  AND (:include_processed OR NOT (d.suppressed OR d.processed))
  AND (d.workspace_n IS NULL OR d.workspace_n = :workspace OR (
            :everywhere AND d.workspace_n NOT IN (SELECT value FROM json_each(:private))))
  AND t.at >= coalesce(:since, -9223372036854775807)
  AND t.at < coalesce(:until, 9223372036854775807)
  AND (:roles IS NULL OR t.role IN (SELECT value FROM json_each(:roles)))
  AND (:tool IS NULL OR t.tool_name = :tool)
  AND (:session_id IS NULL OR t.session_n IN (
      SELECT s.n FROM sessions s WHERE s.tenant_id = :tenant AND s.session_id = :session_id))
ORDER BY t.at DESC
LIMIT :limit;

-- name: recent_memories
SELECT v.n, v.valid_from AS at
FROM memory_versions v
CROSS JOIN documents d ON d.n = v.n
CROSS JOIN memories m ON m.n = v.memory_n
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN sessions s ON s.n = t.session_n
WHERE v.tenant_id = :tenant
  AND (:history OR d.current)
  AND (d.workspace_n IS NULL OR d.workspace_n = :workspace OR (
            :everywhere AND d.workspace_n NOT IN (SELECT value FROM json_each(:private))))
  AND v.valid_from >= coalesce(:since, -9223372036854775807)
  AND v.valid_from < coalesce(:until, 9223372036854775807)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:tasks IS NULL OR m.task IN (SELECT value FROM json_each(:tasks)))
ORDER BY v.valid_from DESC
LIMIT :limit;
