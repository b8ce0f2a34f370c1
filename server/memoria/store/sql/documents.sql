-- name: add_document
INSERT INTO documents (n, tenant_id, kind, workspace_n, suppressed)
VALUES (:n, :tenant, :kind, :workspace, :suppressed);

-- name: note_words
-- The mark moves to the new document if all documents before it have the words of this version: see
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
ON CONFLICT (document_n) DO UPDATE SET has_vector = FALSE;

-- name: set_current
UPDATE documents SET current = :current WHERE n = :n AND tenant_id = :tenant;

-- name: set_workspace
UPDATE documents SET workspace_n = :workspace WHERE n = :n AND tenant_id = :tenant;

-- name: suppress
UPDATE documents SET suppressed = TRUE WHERE n = :n AND tenant_id = :tenant;

-- name: mark_processed
UPDATE documents SET processed = TRUE WHERE n = :n AND tenant_id = :tenant;

-- name: drop_turn_links
DELETE FROM edges
WHERE +tenant_id = :tenant AND code = {MENTIONS} AND src_n = (SELECT n FROM nodes WHERE turn_n = :n);

-- name: drop_turn_names
DELETE FROM name_uses
WHERE node_n = (SELECT n FROM nodes WHERE turn_n = :n AND +tenant_id = :tenant);

-- name: visibility
SELECT n, kind, tenant_id, workspace_n, current, suppressed, processed FROM documents
WHERE n = :n AND tenant_id = :tenant;

-- name: erase_embeddings
DELETE FROM embeddings WHERE document_n = :n;

-- name: erase_document
DELETE FROM documents WHERE n = :n AND tenant_id = :tenant;

-- name: count_change
UPDATE tenants SET changes = changes + 1 WHERE id = :tenant;

-- name: count_erasure
UPDATE tenants SET changes = changes + 1, last_erasure = changes + 1 WHERE id = :tenant;

-- name: note_change
UPDATE documents SET changed = (SELECT changes FROM tenants WHERE id = :tenant)
WHERE n = :n AND changed > 0;

-- name: leave_backlog
DELETE FROM embedding_backlog WHERE document_n = :n;

-- name: seen
SELECT d.n FROM documents d
WHERE d.n IN (SELECT value FROM {numbers :ns}) AND +d.tenant_id = :tenant
  AND d.kind IN (SELECT value FROM {texts :kinds})
  AND (:history OR d.current)
  AND (d.workspace_n IS NULL OR d.workspace_n = :place OR (
            :everywhere AND d.workspace_n NOT IN (SELECT value FROM {numbers :private})))
  AND (:include_processed AND d.kind = 'turn' OR NOT (d.suppressed OR d.processed));

-- name: passing_turns
SELECT t.n FROM turns t
WHERE t.n IN (SELECT value FROM {numbers :ns}) AND +t.tenant_id = :tenant
  AND (:since IS NULL OR t.at >= :since)
  AND (:until IS NULL OR t.at < :until)
  AND (:session_id IS NULL OR t.session_n IN (
       SELECT n FROM sessions WHERE tenant_id = :tenant AND session_id = :session_id))
  AND (:roles IS NULL OR t.role IN (SELECT value FROM {texts :roles}))
  AND (:tool IS NULL OR t.tool_name = :tool)
  AND (:metadata IS NULL OR {has_metadata t.metadata});

-- name: passing_memories
SELECT v.n
FROM memory_versions v
JOIN memories m ON m.n = v.memory_n
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN sessions s ON s.n = t.session_n
WHERE v.n IN (SELECT value FROM {numbers :ns}) AND +v.tenant_id = :tenant
  AND (:since IS NULL OR v.valid_from >= :since)
  AND (:until IS NULL OR v.valid_from < :until)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
  AND (:metadata IS NULL OR {has_metadata m.metadata})
  AND (:tasks IS NULL OR m.task IN (SELECT value FROM {texts :tasks}));

-- name: note_newest
UPDATE tenants SET newest_document = :n WHERE id = :tenant;

-- name: has_other_tenants
SELECT EXISTS (SELECT 1 FROM tenants WHERE id <> :tenant);

-- name: newest_of_all
SELECT coalesce(max(n), 0) FROM documents;

-- name: count_all
SELECT count(*) FROM documents;

-- name: changed_since
SELECT n FROM documents WHERE tenant_id = :tenant AND changed > :seen AND changed > 0;

-- name: age
SELECT changes, newest_document FROM tenants WHERE id = :tenant;

-- name: erasures_of_all
SELECT CAST(coalesce(sum(last_erasure), 0) AS BIGINT) FROM tenants;

-- name: page
SELECT n FROM documents WHERE n > :after AND +tenant_id = :tenant AND kind = :kind
ORDER BY n LIMIT :limit;

-- name: passage_signs
-- The joins in this order look each document up once.
SELECT p.document_n AS n, p.signs
FROM {numbers :ns} w
CROSS JOIN passages p ON p.model_n = :model AND p.document_n = w.value
CROSS JOIN documents d ON d.n = p.document_n AND +d.tenant_id = :tenant;

-- name: passage_records
SELECT p.document_n AS n, p.records
FROM {numbers :ns} w
CROSS JOIN passages p ON p.model_n = :model AND p.document_n = w.value
CROSS JOIN documents d ON d.n = p.document_n AND +d.tenant_id = :tenant;

-- name: vectors
SELECT e.document_n AS n, e.vector
FROM {numbers :ns} w
CROSS JOIN embeddings e ON e.model_n = :model AND e.document_n = w.value
CROSS JOIN documents d ON d.n = e.document_n AND +d.tenant_id = :tenant;

-- name: oldest_awaiting
SELECT coalesce(min(document_n), 9223372036854775807) FROM embedding_backlog
WHERE tenant_id = :tenant AND NOT has_vector;

-- name: awaiting_vectors
SELECT document_n AS n FROM embedding_backlog
WHERE document_n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant AND NOT has_vector;

-- name: is_long_period
-- Read from the indexes over times alone; not read at all in a home with few documents.
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
-- A missing bound is a bound beyond all times, so that the index over times serves.
SELECT t.n
FROM turns t
JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant
  AND (:history OR d.current)
  AND t.at >= coalesce(:since, -9223372036854775807)
  AND t.at < coalesce(:until, 9223372036854775807)
  AND (:roles IS NULL OR t.role IN (SELECT value FROM {texts :roles}))
  AND (:tool IS NULL OR t.tool_name = :tool)
  AND (:metadata IS NULL OR {has_metadata t.metadata})
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
  AND (:roles IS NULL OR t.role IN (SELECT value FROM {texts :roles}))
  AND (:tool IS NULL OR t.tool_name = :tool)
  AND (:metadata IS NULL OR {has_metadata t.metadata})
LIMIT :most;

-- name: allowed_memories
-- Bounds as in `allowed_turns`.
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
  AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
  AND (:metadata IS NULL OR {has_metadata m.metadata})
  AND (:tasks IS NULL OR m.task IN (SELECT value FROM {texts :tasks}))
LIMIT :most;

-- name: allowed_memories_of_tasks
-- As `allowed_memories`, beginning with the few memories of the tasks.
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
  AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
  AND (:metadata IS NULL OR {has_metadata m.metadata})
  AND m.task IN (SELECT value FROM {texts :tasks})
LIMIT :most;

-- name: recent_turns
SELECT t.n, t.at
FROM turns t
CROSS JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant
  AND (:history OR d.current)
  AND (:include_processed OR NOT (d.suppressed OR d.processed))
  AND {workspace_sees}
  AND t.at >= coalesce(:since, -9223372036854775807)
  AND t.at < coalesce(:until, 9223372036854775807)
  AND (:roles IS NULL OR t.role IN (SELECT value FROM {texts :roles}))
  AND (:tool IS NULL OR t.tool_name = :tool)
  AND (:metadata IS NULL OR {has_metadata t.metadata})
  AND (:session_id IS NULL OR t.session_n IN (
      SELECT s.n FROM sessions s WHERE s.tenant_id = :tenant AND s.session_id = :session_id))
ORDER BY t.at DESC, t.n DESC
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
  AND {workspace_sees}
  AND v.valid_from >= coalesce(:since, -9223372036854775807)
  AND v.valid_from < coalesce(:until, 9223372036854775807)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
  AND (:metadata IS NULL OR {has_metadata m.metadata})
  AND (:tasks IS NULL OR m.task IN (SELECT value FROM {texts :tasks}))
ORDER BY v.valid_from DESC, v.n DESC
LIMIT :limit;
