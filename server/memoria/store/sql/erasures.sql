-- name: memories
SELECT m.id
FROM memories m
CROSS JOIN memory_versions c ON c.memory_n = m.n AND c.valid_to IS NULL
CROSS JOIN documents d ON d.n = c.n
WHERE m.tenant_id = :tenant
  AND (:types IS NULL OR m.type IN (SELECT value FROM {texts :types}))
  AND (:workspace IS NULL OR m.workspace_n = :workspace)
  AND (NOT :is_narrow OR EXISTS (
        SELECT 1 FROM memory_versions v
        LEFT JOIN turns t ON t.n = v.turn_n
        LEFT JOIN sessions s ON s.n = t.session_n
        WHERE v.memory_n = m.n
          AND (:since IS NULL OR v.valid_from >= :since)
          AND (:until IS NULL OR v.valid_from < :until)
          AND (:session_id IS NULL OR s.session_id = :session_id)
          AND (:speaker IS NULL OR t.speaker = :speaker)))
  AND (:sees_all OR d.workspace_n IS NULL OR d.workspace_n = :place)
ORDER BY m.n;

-- name: turns
SELECT t.n
FROM turns t
CROSS JOIN sessions s ON s.n = t.session_n
CROSS JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant
  AND (:workspace IS NULL OR s.workspace_n = :workspace)
  AND (:session_id IS NULL OR s.session_id = :session_id)
  AND (:speaker IS NULL OR t.speaker = :speaker)
  AND (:since IS NULL OR t.at >= :since)
  AND (:until IS NULL OR t.at < :until)
  AND (:sees_all OR d.workspace_n IS NULL OR d.workspace_n = :place)
ORDER BY t.n;

-- name: about
-- Memories that name an entity, under any name of the entity or of one joined with it, and memories
-- with the entity for their subject.
WITH named (n) AS (
    SELECT entity_n FROM entity_names WHERE tenant_id = :tenant AND key = :key
    UNION SELECT n FROM entities WHERE id = :topic AND +tenant_id = :tenant),
canonical (n) AS (
    SELECT coalesce(e.canonical_n, e.n) FROM named w CROSS JOIN entities e ON e.n = w.n),
meant (n) AS (
    SELECT n FROM canonical
    UNION SELECT e.n FROM canonical c CROSS JOIN entities e ON e.canonical_n = c.n)
SELECT m.id
FROM meant w
CROSS JOIN entity_names a ON a.entity_n = w.n
CROSS JOIN name_uses u ON u.name_n = a.n
CROSS JOIN nodes k ON k.n = u.node_n AND k.memory_n IS NOT NULL
CROSS JOIN memories m ON m.n = k.memory_n AND +m.tenant_id = :tenant
UNION
SELECT id FROM memories WHERE tenant_id = :tenant AND subject = :key;

-- name: turns_with_metadata
SELECT n, metadata FROM turns WHERE tenant_id = :tenant AND metadata IS NOT NULL ORDER BY n;

-- name: memories_with_metadata
SELECT id, metadata FROM memories WHERE tenant_id = :tenant AND metadata IS NOT NULL ORDER BY id;

-- name: core_marks
SELECT l.file, l.mark
FROM {texts :ids} w
CROSS JOIN memories m ON m.id = w.value AND +m.tenant_id = :tenant
CROSS JOIN core_lines l ON l.memory_n = m.n
ORDER BY l.file, l.mark;

-- name: sole_hashes
-- Hashes of texts that these turns hold and no other turn does.
SELECT {hex hash} AS hash FROM (
    SELECT content_hash AS hash FROM turns
    WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant
    UNION SELECT args_hash FROM turns
    WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant
    UNION SELECT result_hash FROM turns
    WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant
    UNION SELECT file_hash FROM turns
    WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant
    EXCEPT SELECT content_hash FROM turns
    WHERE tenant_id = :tenant AND n NOT IN (SELECT value FROM {numbers :ns})
    EXCEPT SELECT args_hash FROM turns
    WHERE tenant_id = :tenant AND n NOT IN (SELECT value FROM {numbers :ns})
    EXCEPT SELECT result_hash FROM turns
    WHERE tenant_id = :tenant AND n NOT IN (SELECT value FROM {numbers :ns})
    EXCEPT SELECT file_hash FROM turns
    WHERE tenant_id = :tenant AND n NOT IN (SELECT value FROM {numbers :ns}))
WHERE hash IS NOT NULL;

-- name: memory_numbers
SELECT n FROM memories
WHERE id IN (SELECT value FROM {texts :ids}) AND +tenant_id = :tenant;

-- name: wording_numbers
SELECT n FROM memory_versions
WHERE memory_n IN (SELECT value FROM {numbers :memories}) AND +tenant_id = :tenant;

-- name: count_rows
-- Documents are the wordings of the memories, and the turns.
SELECT 'memories' AS place, count(*) AS total FROM memories
WHERE n IN (SELECT value FROM {numbers :memories}) AND +tenant_id = :tenant
UNION ALL SELECT 'wordings', count(*) FROM memory_versions
WHERE n IN (SELECT value FROM {numbers :documents}) AND +tenant_id = :tenant
UNION ALL SELECT 'turns', count(*) FROM turns
WHERE n IN (SELECT value FROM {numbers :documents}) AND +tenant_id = :tenant
UNION ALL SELECT 'tool calls', count(*) FROM tool_calls
WHERE turn_n IN (SELECT value FROM {numbers :documents}) AND +tenant_id = :tenant
UNION ALL SELECT 'vectors', count(*) FROM embeddings
WHERE document_n IN (SELECT value FROM {numbers :documents})
UNION ALL SELECT 'passages', count(*) FROM passages
WHERE document_n IN (SELECT value FROM {numbers :documents})
UNION ALL SELECT 'embedding backlog', count(*) FROM embedding_backlog
WHERE document_n IN (SELECT value FROM {numbers :documents})
UNION ALL SELECT 'evidence', count(*) FROM memory_evidence
WHERE (memory_n IN (SELECT value FROM {numbers :memories})
       OR turn_n IN (SELECT value FROM {numbers :documents})) AND +tenant_id = :tenant
UNION ALL SELECT 'episodes', count(*) FROM episodes
WHERE memory_n IN (SELECT value FROM {numbers :memories}) AND +tenant_id = :tenant
UNION ALL SELECT 'core lines', count(*) FROM core_lines
WHERE memory_n IN (SELECT value FROM {numbers :memories}) AND +tenant_id = :tenant
UNION ALL SELECT 'graph nodes', count(*) FROM nodes
WHERE (memory_n IN (SELECT value FROM {numbers :memories})
       OR turn_n IN (SELECT value FROM {numbers :documents})) AND +tenant_id = :tenant
UNION ALL SELECT 'graph edges', count(*) FROM edges
WHERE (src_n IN (SELECT value FROM {numbers :nodes})
       OR dst_n IN (SELECT value FROM {numbers :nodes})) AND +tenant_id = :tenant
UNION ALL SELECT 'names', count(*) FROM name_uses
WHERE node_n IN (SELECT value FROM {numbers :nodes})
UNION ALL SELECT 'night journal', count(*) FROM nightly_changes
WHERE image <> '{}' AND (memory_n IN (SELECT value FROM {numbers :memories})
                         OR turn_n IN (SELECT value FROM {numbers :documents}));

-- name: node_numbers
SELECT n FROM nodes
WHERE memory_n IN (SELECT value FROM {numbers :memories}) AND +tenant_id = :tenant
UNION ALL
SELECT n FROM nodes
WHERE turn_n IN (SELECT value FROM {numbers :documents}) AND +tenant_id = :tenant;

-- name: count_texts
SELECT count(*) FROM raw_chunks
WHERE tenant_id = :tenant AND ({hex hash} IN (SELECT value FROM {texts :hashes})) IS TRUE;

-- name: add_report
INSERT INTO forget_reports (id, tenant_id, at, by, selected_by, state, purge_at, purged_at, items,
                            removed, remaining)
VALUES (:id, :tenant, :at, :by, :selected_by, :state, :purge_at, :purged_at, :items, :removed,
        :remaining)
ON CONFLICT DO NOTHING;

-- name: add_digest
INSERT INTO forget_digests (report_n, ordinal, digest) VALUES (:report_n, :ordinal, :digest);

-- name: reports
SELECT n, id, at, by, selected_by, state, purge_at, purged_at, items, removed, remaining
FROM forget_reports
WHERE tenant_id = :tenant
  AND (CAST(:before AS TEXT) IS NULL
       OR n < (SELECT o.n FROM forget_reports o WHERE o.id = :before AND +o.tenant_id = :tenant))
ORDER BY n DESC LIMIT :limit;

-- name: report
SELECT n, id, at, by, selected_by, state, purge_at, purged_at, items, removed, remaining
FROM forget_reports WHERE +tenant_id = :tenant AND id = :id;

-- name: digests
SELECT digest FROM forget_digests WHERE report_n = :report_n ORDER BY ordinal;

-- name: newest_documents
-- Count and newest number change with every document added or erased: no number is given twice.
SELECT count(*) AS documents, coalesce(max(n), 0) AS newest FROM documents WHERE tenant_id = :tenant;

-- name: holdings
SELECT 'memory' AS kind, count(*) AS total FROM memories WHERE tenant_id = :tenant
UNION ALL SELECT 'turn', count(*) FROM turns WHERE tenant_id = :tenant;

-- name: count_all
SELECT 'memories' AS place, count(*) AS total FROM memories WHERE tenant_id = :tenant
UNION ALL SELECT 'wordings', count(*) FROM memory_versions WHERE tenant_id = :tenant
UNION ALL SELECT 'turns', count(*) FROM turns WHERE tenant_id = :tenant
UNION ALL SELECT 'tool calls', count(*) FROM tool_calls WHERE tenant_id = :tenant
UNION ALL SELECT 'texts', count(*) FROM raw_chunks WHERE tenant_id = :tenant
UNION ALL SELECT 'vectors', count(*) FROM documents d
CROSS JOIN embeddings e ON e.document_n = d.n WHERE d.tenant_id = :tenant
UNION ALL SELECT 'passages', count(*) FROM documents d
CROSS JOIN passages p ON p.document_n = d.n WHERE d.tenant_id = :tenant
UNION ALL SELECT 'embedding backlog', count(*) FROM embedding_backlog WHERE tenant_id = :tenant
UNION ALL SELECT 'evidence', count(*) FROM memory_evidence WHERE tenant_id = :tenant
UNION ALL SELECT 'episodes', count(*) FROM episodes WHERE tenant_id = :tenant
UNION ALL SELECT 'core lines', count(*) FROM core_lines WHERE tenant_id = :tenant
UNION ALL SELECT 'graph nodes', count(*) FROM nodes WHERE tenant_id = :tenant
UNION ALL SELECT 'graph edges', count(*) FROM edges WHERE tenant_id = :tenant
UNION ALL SELECT 'names', count(*) FROM entity_names WHERE tenant_id = :tenant
UNION ALL SELECT 'sessions', count(*) FROM sessions WHERE tenant_id = :tenant
UNION ALL SELECT 'scratchpads', count(*) FROM scratchpads WHERE tenant_id = :tenant
UNION ALL SELECT 'queue entries', count(*) FROM extraction_queue WHERE tenant_id = :tenant
UNION ALL SELECT 'nightly runs', count(*) FROM nightly_runs WHERE tenant_id = :tenant;

-- name: all_wordings
SELECT m.id, v.content, v.quote FROM memory_versions v JOIN memories m ON m.n = v.memory_n
WHERE v.tenant_id = :tenant ORDER BY v.memory_n, v.version;

-- name: all_messages
SELECT t.n, t.id, s.source, s.session_id, t.message_id, t.fingerprint, t.likeness
FROM turns t JOIN sessions s ON s.n = t.session_n
WHERE t.tenant_id = :tenant ORDER BY t.n;

-- The following statements empty a tenant, table by table: references before their targets.

-- name: clear_transcripts
-- Paths are names of projects. Tombstones refuse the turns when a transcript is read again.
DELETE FROM transcripts WHERE tenant_id = :tenant;

-- name: clear_journal
DELETE FROM nightly_changes WHERE run_n IN (SELECT n FROM nightly_runs WHERE tenant_id = :tenant);

-- name: clear_plans
DELETE FROM nightly_plan WHERE run_n IN (SELECT n FROM nightly_runs WHERE tenant_id = :tenant);

-- name: clear_runs
-- A run under way stays: it finds nothing left to do.
DELETE FROM nightly_runs WHERE tenant_id = :tenant AND state NOT IN ('running', 'undoing');

-- name: clear_file_records
DELETE FROM generated_files WHERE tenant_id = :tenant;

-- name: clear_core_lines
DELETE FROM core_lines WHERE tenant_id = :tenant;

-- name: clear_core_files
DELETE FROM core_files WHERE tenant_id = :tenant;

-- name: clear_tasks
DELETE FROM completed_tasks WHERE tenant_id = :tenant;

-- name: clear_scratchpads
DELETE FROM scratchpads WHERE tenant_id = :tenant;

-- name: clear_queue
DELETE FROM extraction_queue WHERE tenant_id = :tenant;

-- name: clear_edges
DELETE FROM edges WHERE tenant_id = :tenant;

-- name: clear_name_uses
DELETE FROM name_uses WHERE node_n IN (SELECT n FROM nodes WHERE tenant_id = :tenant);

-- name: clear_names
DELETE FROM entity_names WHERE tenant_id = :tenant;

-- name: clear_entities
DELETE FROM entities WHERE tenant_id = :tenant;

-- name: clear_nodes
DELETE FROM nodes WHERE tenant_id = :tenant;

-- name: clear_episodes
DELETE FROM episodes WHERE tenant_id = :tenant;

-- name: clear_evidence
DELETE FROM memory_evidence WHERE tenant_id = :tenant;

-- name: clear_versions
DELETE FROM memory_versions WHERE tenant_id = :tenant;

-- name: clear_merges
-- Two that were merged into each other could be put back in no order.
UPDATE memories SET merged_into = NULL WHERE tenant_id = :tenant AND merged_into IS NOT NULL;

-- name: clear_memories
DELETE FROM memories WHERE tenant_id = :tenant;

-- name: clear_calls
DELETE FROM tool_calls WHERE tenant_id = :tenant;

-- name: clear_attachments
-- Before their messages, to be put back behind them.
DELETE FROM turns WHERE tenant_id = :tenant AND attached_to IS NOT NULL;

-- name: clear_turns
DELETE FROM turns WHERE tenant_id = :tenant;

-- name: clear_embeddings
DELETE FROM embeddings WHERE document_n IN (SELECT n FROM documents WHERE tenant_id = :tenant);

-- name: clear_backlog
DELETE FROM embedding_backlog WHERE tenant_id = :tenant;

-- name: clear_documents
DELETE FROM documents WHERE tenant_id = :tenant;

-- name: clear_segments
DELETE FROM segments WHERE tenant_id = :tenant;

-- name: clear_sessions
DELETE FROM sessions WHERE tenant_id = :tenant;

-- name: clear_texts
DELETE FROM raw_chunks WHERE tenant_id = :tenant;

-- name: clear_workspaces
-- Names are overwritten: deleting rows would search every table that refers to workspaces, for each
-- row. Workspaces with private times keep their names, so that the times go on to apply.
UPDATE workspaces SET name = 'forgotten ' || n
WHERE tenant_id = :tenant
  AND n NOT IN (SELECT workspace_n FROM private_times
                WHERE tenant_id = :tenant AND workspace_n IS NOT NULL);
