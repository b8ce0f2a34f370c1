-- Rows of a tenant, page by page, with ids in place of numbers. The next page begins after the last
-- `n`. For +tenant_id see conversations.sql.

-- name: count_workspace
SELECT count(*) FROM workspaces
WHERE tenant_id = :tenant AND (:workspace IS NULL OR n = :workspace);

-- name: workspace
SELECT n, name FROM workspaces
WHERE tenant_id = :tenant AND (:workspace IS NULL OR n = :workspace) AND n > :after
ORDER BY n LIMIT :page;

-- name: count_private_time
SELECT count(*) FROM private_times
WHERE tenant_id = :tenant AND (:whole OR workspace_n = :workspace);

-- name: private_time
SELECT p.n, w.name AS workspace, p.began_at, p.ended_at
FROM private_times p LEFT JOIN workspaces w ON w.n = p.workspace_n
WHERE p.tenant_id = :tenant AND (:whole OR p.workspace_n = :workspace) AND p.n > :after
ORDER BY p.n LIMIT :page;

-- name: count_session
SELECT count(*) FROM sessions s WHERE s.tenant_id = :tenant AND {is_exported_session};

-- name: session
SELECT s.n, s.source, s.session_id, w.name AS workspace, s.first_at, s.last_at, s.last_ingested_at,
       s.next_index, s.agent_turns
FROM sessions s LEFT JOIN workspaces w ON w.n = s.workspace_n
WHERE s.n > :after AND +s.tenant_id = :tenant AND {is_exported_session}
ORDER BY s.n LIMIT :page;

-- name: segments
SELECT ordinal, first_index, last_index, messages, opened_at, last_at, touched_at, closed_at,
       closed_by
FROM segments WHERE session_n = :n AND +tenant_id = :tenant ORDER BY ordinal;

-- name: count_turn
SELECT count(*) FROM turns t WHERE t.tenant_id = :tenant AND {is_exported_turn};

-- name: turn
SELECT t.n, t.id, s.source, s.session_id, t.message_id, t.turn_index, t.version, t.role, t.speaker,
       t.at, t.utc_offset, t.at_given, t.ingested_at, t.trust, t.account, t.fingerprint, t.likeness,
       t.content_hash AS content, t.tool_name, t.args_hash AS tool_args,
       t.result_hash AS tool_result, t.metadata, t.file_hash AS file, m.id AS attached_to, t.mark,
       t.passed_over, d.current, d.suppressed, d.processed
FROM turns t
CROSS JOIN documents d ON d.n = t.n
CROSS JOIN sessions s ON s.n = t.session_n
LEFT JOIN turns m ON m.n = t.attached_to
WHERE t.n > :after AND +t.tenant_id = :tenant AND {is_exported_turn}
ORDER BY t.n LIMIT :page;

-- name: count_entity
SELECT count(*) FROM entities e
WHERE e.tenant_id = :tenant
  AND (:whole OR EXISTS (SELECT 1 FROM entity_names a
                         JOIN name_uses u ON u.name_n = a.n
                         JOIN nodes o ON o.n = u.node_n
                         LEFT JOIN memories m ON m.n = o.memory_n
                         LEFT JOIN turns t ON t.n = o.turn_n
                         WHERE a.entity_n = e.n
                           AND (m.n IS NOT NULL AND {is_exported_memory}
                                OR t.n IS NOT NULL AND {is_exported_turn})));

-- name: entity
SELECT e.n, e.id, e.kind, c.id AS same_as, c.kind AS same_as_kind
FROM entities e LEFT JOIN entities c ON c.n = e.canonical_n
WHERE e.n > :after AND +e.tenant_id = :tenant
  AND (:whole OR EXISTS (SELECT 1 FROM entity_names a
                         JOIN name_uses u ON u.name_n = a.n
                         JOIN nodes o ON o.n = u.node_n
                         LEFT JOIN memories m ON m.n = o.memory_n
                         LEFT JOIN turns t ON t.n = o.turn_n
                         WHERE a.entity_n = e.n
                           AND (m.n IS NOT NULL AND {is_exported_memory}
                                OR t.n IS NOT NULL AND {is_exported_turn})))
ORDER BY e.n LIMIT :page;

-- name: count_memory
SELECT count(*) FROM memories m WHERE m.tenant_id = :tenant AND {is_exported_memory};

-- name: memory
-- Memories derived from others and episodes come after all other memories.
SELECT m.n, m.id, m.type, m.validity, m.importance, m.confidence, m.pinned, m.verified, m.upvotes,
       m.downvotes, m.created_at, m.updated_at, w.name AS workspace, m.scope, m.subject,
       m.predicate, m.task, m.expires_at, {carried_of_m}, m.tier,
       m.reviewed_at
FROM memories m LEFT JOIN workspaces w ON w.n = m.workspace_n
WHERE m.n > :after AND +m.tenant_id = :tenant AND {is_exported_memory}
  AND :derived = (m.type IN {derived_types})
ORDER BY m.n LIMIT :page;

-- name: versions
SELECT v.n, v.version, v.content, v.fingerprint, v.valid_from, v.valid_to, v.ingested_at,
       v.source_kind, v.trust, v.channel, v.client, t.id AS turn, v.quote, v.inferred_by,
       v.event_at, v.event_expression, d.current, d.suppressed, d.processed
FROM memory_versions v
CROSS JOIN documents d ON d.n = v.n
LEFT JOIN turns t ON t.n = v.turn_n
WHERE v.memory_n = :n AND +v.tenant_id = :tenant ORDER BY v.version;

-- name: evidence
SELECT t.id AS turn, e.quote, e.ingested_at
FROM memory_evidence e CROSS JOIN turns t ON t.n = e.turn_n
WHERE e.memory_n = :n AND +e.tenant_id = :tenant ORDER BY e.n;

-- name: names
SELECT x.id AS entity, a.key, a.qualifier, a.name
FROM nodes o
CROSS JOIN name_uses u ON u.node_n = o.n
CROSS JOIN entity_names a ON a.n = u.name_n AND +a.tenant_id = :tenant
CROSS JOIN entities x ON x.n = a.entity_n
WHERE o.memory_n = :n ORDER BY a.n;

-- name: turn_names
SELECT x.id AS entity, a.key, a.qualifier, a.name
FROM nodes o
CROSS JOIN name_uses u ON u.node_n = o.n
CROSS JOIN entity_names a ON a.n = u.name_n AND +a.tenant_id = :tenant
CROSS JOIN entities x ON x.n = a.entity_n
WHERE o.turn_n = :n ORDER BY a.n;

-- name: span
SELECT s.source, s.session_id, p.first_index, p.last_index
FROM episodes p CROSS JOIN sessions s ON s.n = p.session_n
WHERE p.memory_n = :n AND +p.tenant_id = :tenant;

-- name: derived_from
-- Sources of a derived memory, as in dependencies.sql.
SELECT s.id
FROM nodes o
CROSS JOIN edges e ON e.src_n = o.n
CROSS JOIN nodes x ON x.n = e.dst_n
CROSS JOIN memories s ON s.n = x.memory_n AND +s.tenant_id = :tenant
WHERE o.memory_n = :n
  AND (e.code = {DERIVED_FROM} OR e.code = {REFERS_TO} AND EXISTS (SELECT 1 FROM memory_versions f
                                            WHERE f.memory_n = o.memory_n AND f.version = 1
                                              AND f.channel = 'night'))
ORDER BY s.id;

-- name: count_merge
SELECT count(*) FROM memories m
WHERE m.tenant_id = :tenant AND m.merged_into IS NOT NULL AND {is_exported_memory};

-- name: merge
SELECT m.n, m.id AS memory, o.id AS into_id
FROM memories m CROSS JOIN memories o ON o.n = m.merged_into
WHERE m.n > :after AND +m.tenant_id = :tenant AND {is_exported_memory}
ORDER BY m.n LIMIT :page;

-- name: count_edge
SELECT count(*) FROM edges e
CROSS JOIN nodes o ON o.n = e.src_n
WHERE e.tenant_id = :tenant
  AND (:whole OR EXISTS (SELECT 1 FROM memories m WHERE m.n = o.memory_n AND {is_exported_memory})
       OR EXISTS (SELECT 1 FROM turns t WHERE t.n = o.turn_n AND {is_exported_turn}));

-- name: edge_sources
SELECT o.n FROM nodes o
WHERE o.n > :after AND +o.tenant_id = :tenant
  AND (:whole OR EXISTS (SELECT 1 FROM memories m WHERE m.n = o.memory_n AND {is_exported_memory})
       OR EXISTS (SELECT 1 FROM turns t WHERE t.n = o.turn_n AND {is_exported_turn}))
ORDER BY o.n LIMIT :page;

-- name: edges_from
-- Older versions read a reason for which an edge was set aside.
SELECT (SELECT CASE WHEN o.memory_n IS NOT NULL
                    THEN 'memory:' || (SELECT id FROM memories WHERE n = o.memory_n)
                    WHEN o.turn_n IS NOT NULL THEN 'turn:' || (SELECT id FROM turns WHERE n = o.turn_n)
                    ELSE 'entity:' || (SELECT id FROM entities WHERE n = o.n) END
        FROM nodes o WHERE o.n = e.src_n) AS "from",
       (SELECT CASE WHEN o.memory_n IS NOT NULL
                    THEN 'memory:' || (SELECT id FROM memories WHERE n = o.memory_n)
                    WHEN o.turn_n IS NOT NULL THEN 'turn:' || (SELECT id FROM turns WHERE n = o.turn_n)
                    ELSE 'entity:' || (SELECT id FROM entities WHERE n = o.n) END
        FROM nodes o WHERE o.n = e.dst_n) AS "to",
       (SELECT id FROM turns WHERE n = e.turn_n) AS turn, e.code, e.weight, e.confidence,
       e.negated, e.modality, e.by_model, e.created_at, e.power, e.event_at, e.event_expression, NULL AS reason
FROM edges e WHERE e.src_n = :n AND +e.tenant_id = :tenant
ORDER BY 4, 2 NULLS FIRST, e.dst_n;

-- name: count_scratchpad
SELECT count(*) FROM scratchpads x
WHERE x.tenant_id = :tenant AND (:whole OR EXISTS (
    SELECT 1 FROM sessions s WHERE s.tenant_id = x.tenant_id AND s.session_id = x.session_id
                               AND {is_exported_session}));

-- name: scratchpad
-- All scratchpads are one page: their key is a text, and they are few.
SELECT 0 AS n, x.session_id, x.current_focus, x.updated_at, w.name AS workspace
FROM scratchpads x LEFT JOIN workspaces w ON w.n = x.workspace_n
WHERE CAST(:after AS BIGINT) = 0 AND CAST(:page AS BIGINT) > 0 AND x.tenant_id = :tenant AND (:whole OR EXISTS (
    SELECT 1 FROM sessions s WHERE s.tenant_id = x.tenant_id AND s.session_id = x.session_id
                               AND {is_exported_session}))
ORDER BY x.session_id;

-- name: completed_tasks
SELECT task, at FROM completed_tasks
WHERE tenant_id = :tenant AND session_id = :session_id ORDER BY n;

-- name: count_queue_entry
SELECT count(*) FROM extraction_queue q CROSS JOIN sessions s ON s.n = q.session_n
WHERE q.tenant_id = :tenant AND {is_exported_session};

-- name: queue_entry
SELECT q.n, q.id, q.kind, s.source, s.session_id, q.first_index, q.last_index,
       (SELECT t.id FROM turns t WHERE t.n = q.newest_n) AS newest, q.priority, q.reason, q.state,
       q.attempts, q.not_before, q.created_at, q.finished_at, q.last_error, q.outcome
FROM extraction_queue q CROSS JOIN sessions s ON s.n = q.session_n
WHERE q.n > :after AND +q.tenant_id = :tenant AND {is_exported_session}
ORDER BY q.n LIMIT :page;

-- name: count_audit_entry
SELECT CASE WHEN :whole THEN count(*) ELSE 0 END FROM audit_log WHERE tenant_id = :tenant;

-- name: audit_entry
SELECT n, at, channel, client, caller, action, subject, detail FROM audit_log
WHERE :whole AND n > :after AND +tenant_id = :tenant ORDER BY n LIMIT :page;

-- name: count_forget_report
SELECT count(*) FROM forget_reports WHERE tenant_id = :tenant AND state <> 'hidden';

-- name: forget_report
-- A forget whose rows can still be put back is left out.
SELECT n, id, at, by, selected_by, state, purge_at, purged_at, items, removed, remaining
FROM forget_reports
WHERE n > :after AND +tenant_id = :tenant AND state <> 'hidden' ORDER BY n LIMIT :page;

-- name: forget_digests
SELECT digest FROM forget_digests WHERE report_n = :n ORDER BY ordinal;

-- name: count_tombstone
SELECT count(*) FROM tombstones WHERE tenant_id = :tenant;

-- name: tombstone
SELECT n, kind, subject, at, reason FROM tombstones
WHERE n > :after AND +tenant_id = :tenant ORDER BY n LIMIT :page;

-- name: tombstone_digests
SELECT digest FROM tombstone_digests
WHERE tombstone_n = :n AND +tenant_id = :tenant ORDER BY digest;

-- name: tombstone_vectors
SELECT model, reach, vector FROM tombstone_vectors
WHERE +tenant_id = :tenant AND tombstone_n = :n ORDER BY n;
