-- Records of another home, merged with the rows of this home so that both homes hold the same in the
-- end: the later of two values, the larger of two counts, the union of two lists. For +tenant_id see
-- conversations.sql.

-- name: find_private_time
SELECT n, ended_at FROM private_times
WHERE tenant_id = :tenant AND workspace_n {is} :workspace AND began_at = :began_at;

-- name: end_private_time
UPDATE private_times SET ended_at = :ended_at WHERE n = :n AND +tenant_id = :tenant;

-- name: find_session
SELECT n FROM sessions
WHERE tenant_id = :tenant AND source = :source AND session_id = :session_id;

-- name: add_session
INSERT INTO sessions (tenant_id, source, session_id, first_at, last_at, last_ingested_at, next_index,
                      agent_turns, workspace_n)
VALUES (:tenant, :source, :session_id, :first_at, :last_at, :last_ingested_at, :next_index,
        :agent_turns, :workspace);

-- name: widen_session
UPDATE sessions
SET first_at = {least}(first_at, :first_at), last_at = {greatest}(last_at, :last_at),
    last_ingested_at = {greatest}(last_ingested_at, :last_ingested_at),
    next_index = {greatest}(next_index, :next_index), agent_turns = {greatest}(agent_turns, :agent_turns),
    workspace_n = coalesce(workspace_n, :workspace)
WHERE n = :n AND tenant_id = :tenant
  AND (first_at > :first_at OR last_at < :last_at OR last_ingested_at < :last_ingested_at
       OR next_index < :next_index OR agent_turns < :agent_turns
       OR workspace_n IS NULL AND :workspace IS NOT NULL);

-- name: has_open_segment
SELECT EXISTS (SELECT 1 FROM segments
               WHERE session_n = :session_n AND closed_at IS NULL AND ordinal <> :ordinal);

-- name: put_segment
-- The later end of a segment stays; of equal ends, a closed one.
INSERT INTO segments (tenant_id, session_n, ordinal, first_index, last_index, messages, opened_at,
                      last_at, touched_at, closed_at, closed_by)
VALUES (:tenant, :session_n, :ordinal, :first_index, :last_index, :messages, :opened_at, :last_at,
        :touched_at, :closed_at, :closed_by)
ON CONFLICT (session_n, ordinal) DO UPDATE
SET last_index = excluded.last_index, messages = excluded.messages, last_at = excluded.last_at,
    touched_at = excluded.touched_at, closed_at = excluded.closed_at,
    closed_by = excluded.closed_by
WHERE (excluded.last_index, excluded.closed_at IS NOT NULL, excluded.touched_at,
       coalesce(excluded.closed_at, 0))
    > (segments.last_index, segments.closed_at IS NOT NULL, segments.touched_at,
       coalesce(segments.closed_at, 0));

-- name: widen_segment
UPDATE segments SET first_index = {least}(first_index, :first_index), opened_at = {least}(opened_at, :opened_at)
WHERE session_n = :session_n AND ordinal = :ordinal AND +tenant_id = :tenant
  AND (first_index > :first_index OR opened_at > :opened_at);

-- name: note_earlier
UPDATE turns SET ingested_at = {least}(ingested_at, :ingested_at)
WHERE n = :n AND ingested_at > :ingested_at AND +tenant_id = :tenant;

-- name: note_metadata
UPDATE turns SET metadata = :metadata WHERE n = :n AND +tenant_id = :tenant;

-- name: find_turn
SELECT t.n, t.metadata, t.mark, t.passed_over, d.current, d.suppressed, d.processed
FROM turns t CROSS JOIN documents d ON d.n = t.n
WHERE t.id = :id AND t.tenant_id = :tenant;

-- name: find_same_turn
-- The same message under another id, because both homes have recorded it.
SELECT id FROM turns
WHERE session_n = :session_n AND fingerprint = :fingerprint AND version = :version
  AND message_id {is} :message_id AND +tenant_id = :tenant
  AND (message_id IS NOT NULL OR turn_index = :turn_index)
ORDER BY n LIMIT 1;

-- name: rename_turn
UPDATE turns SET id = :id WHERE id = :former AND tenant_id = :tenant;

-- name: is_place_taken
SELECT EXISTS (SELECT 1 FROM turns WHERE session_n = :session_n AND turn_index = :turn_index
                                     AND version = :version);

-- name: newest_version
SELECT t.n, t.turn_index, t.version, t.ingested_at, d.current
FROM turns t CROSS JOIN documents d ON d.n = t.n
WHERE t.session_n = :session_n AND t.message_id = :message_id AND +t.tenant_id = :tenant
ORDER BY t.version DESC LIMIT 1;

-- name: next_index
SELECT next_index FROM sessions WHERE n = :session_n AND tenant_id = :tenant;

-- name: count_place
UPDATE sessions SET next_index = {greatest}(next_index, :turn_index + 1)
WHERE n = :session_n AND tenant_id = :tenant;

-- name: newest_memory
SELECT coalesce(max(n), 0) FROM memories WHERE tenant_id = :tenant;

-- name: find_same_memory
-- Another memory that now says the same with the same scope, because it was stated in both homes.
SELECT m.n, m.id, m.updated_at
FROM memory_versions v
CROSS JOIN memories m ON m.n = v.memory_n
WHERE v.tenant_id = :tenant AND v.fingerprint = :fingerprint AND v.valid_to IS NULL
  AND m.validity = 'active' AND m.id <> :id AND m.n <= :newest AND m.type = :type AND m.task {is} :task
  AND CASE WHEN m.scope = 'project' THEN m.workspace_n END {is} :place
ORDER BY m.id LIMIT 1;

-- name: add_memory
INSERT INTO memories (id, tenant_id, type, validity, importance, confidence, pinned, verified, upvotes,
                      downvotes, created_at, updated_at, workspace_n, scope, subject, predicate, task,
                      expires_at, {carried}, tier, reviewed_at)
VALUES (:id, :tenant, :type, :validity, :importance, :confidence, :pinned, :verified, :upvotes,
        :downvotes, :created_at, :updated_at, :workspace, :scope, :subject, :predicate, :task,
        :expires_at, {carried_values}, :tier, :reviewed_at);

-- name: memory
SELECT m.id, m.type, m.validity, m.importance, m.confidence, m.pinned, m.verified, m.upvotes,
       m.downvotes, m.created_at, m.updated_at, w.name AS workspace, m.scope, m.subject,
       m.predicate, m.task, m.expires_at, {carried_of_m}, m.tier, m.reviewed_at
FROM memories m LEFT JOIN workspaces w ON w.n = m.workspace_n
WHERE m.n = :n AND m.tenant_id = :tenant;

-- name: set_memory
UPDATE memories
SET type = :type, validity = :validity, importance = :importance, confidence = :confidence,
    pinned = :pinned, verified = :verified, upvotes = :upvotes, downvotes = :downvotes,
    created_at = :created_at, updated_at = :updated_at, workspace_n = :workspace, scope = :scope,
    subject = :subject, predicate = :predicate, task = :task, expires_at = :expires_at,
    {set_carried}, tier = :tier,
    reviewed_at = :reviewed_at
WHERE n = :n AND tenant_id = :tenant;

-- name: number_versions_anew
UPDATE memory_versions SET version = -version WHERE memory_n = :n AND +tenant_id = :tenant;

-- name: set_version
UPDATE memory_versions SET version = :version, valid_to = :valid_to
WHERE n = :n AND +tenant_id = :tenant;

-- name: restore_source
UPDATE memory_versions SET turn_n = :turn_n, quote = :quote
WHERE n = :n AND turn_n IS NULL AND +tenant_id = :tenant;

-- name: versions
SELECT v.n, v.version, v.content, v.fingerprint, v.valid_from, v.valid_to, v.ingested_at, v.turn_n,
       d.current
FROM memory_versions v CROSS JOIN documents d ON d.n = v.n
WHERE v.memory_n = :n AND +v.tenant_id = :tenant ORDER BY v.version;

-- name: add_evidence
INSERT INTO memory_evidence (tenant_id, memory_n, turn_n, quote, ingested_at)
SELECT :tenant, :memory_n, :turn_n, :quote, :ingested_at
WHERE NOT EXISTS (SELECT 1 FROM memory_evidence WHERE memory_n = :memory_n AND turn_n = :turn_n);

-- name: copy_evidence
-- The survivor of two merged memories rests on the turns of both.
INSERT INTO memory_evidence (tenant_id, memory_n, turn_n, quote, ingested_at)
SELECT :tenant, :survivor, x.turn_n, x.quote, x.ingested_at
FROM (SELECT turn_n, quote, ingested_at FROM memory_evidence WHERE memory_n = :other
      UNION ALL
      SELECT turn_n, coalesce(quote, content), ingested_at FROM memory_versions
      WHERE memory_n = :other AND turn_n IS NOT NULL AND valid_to IS NULL) x
WHERE NOT EXISTS (SELECT 1 FROM memory_versions
                  WHERE memory_n = :survivor AND turn_n = x.turn_n)
ON CONFLICT DO NOTHING;

-- name: supersede
UPDATE memories SET validity = 'superseded', merged_into = :survivor, updated_at = :at
WHERE n = :other AND tenant_id = :tenant;

-- name: note_merged
UPDATE memories SET merged_into = (SELECT n FROM memories WHERE id = :into_id AND tenant_id = :tenant)
WHERE id = :id AND tenant_id = :tenant
  AND EXISTS (SELECT 1 FROM memories WHERE id = :into_id AND tenant_id = :tenant)
  AND merged_into {is_not} (SELECT n FROM memories WHERE id = :into_id AND tenant_id = :tenant);

-- name: put_span
INSERT INTO episodes (memory_n, tenant_id, session_n, first_index, last_index)
VALUES (:memory_n, :tenant, :session_n, :first_index, :last_index)
ON CONFLICT DO NOTHING;

-- name: rename_entity
UPDATE entities SET id = :id WHERE id = :former AND tenant_id = :tenant;

-- name: find_namesake
SELECT e.id FROM entity_names a CROSS JOIN entities e ON e.n = a.entity_n AND e.kind = :kind
WHERE a.tenant_id = :tenant AND a.key = :key AND a.qualifier = :qualifier
ORDER BY e.id;

-- name: set_same_as
UPDATE entities SET canonical_n = :canonical_n
WHERE n = :n AND canonical_n IS NULL AND n <> :canonical_n AND tenant_id = :tenant;

-- name: add_name
INSERT INTO entity_names (tenant_id, entity_n, key, qualifier, name)
VALUES (:tenant, :entity_n, :key, :qualifier, :name)
ON CONFLICT DO NOTHING;

-- name: use_name
INSERT INTO name_uses (name_n, node_n)
SELECT n, :node_n FROM entity_names
WHERE tenant_id = :tenant AND key = :key AND qualifier = :qualifier AND entity_n = :entity_n
ON CONFLICT DO NOTHING;

-- name: names_entity
SELECT EXISTS (SELECT 1 FROM name_uses u JOIN entity_names a ON a.n = u.name_n
               WHERE u.node_n = :node_n AND a.entity_n = :entity_n AND +a.tenant_id = :tenant);

-- name: edge
SELECT weight, confidence, negated, modality, by_model, created_at, power, turn_n, event_at,
       event_expression FROM edges
WHERE src_n = :src_n AND code = :code AND dst_n = :dst_n AND +tenant_id = :tenant;

-- name: put_edge
INSERT INTO edges (tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model,
                   created_at, power, turn_n, event_at, event_expression)
VALUES (:tenant, :src_n, :code, :dst_n, :weight, :confidence, :negated, :modality, :by_model,
        :created_at, :power, :turn_n, :event_at, :event_expression)
ON CONFLICT (src_n, code, dst_n) DO UPDATE
SET tenant_id = excluded.tenant_id, weight = excluded.weight, confidence = excluded.confidence,
    negated = excluded.negated, modality = excluded.modality, by_model = excluded.by_model,
    created_at = excluded.created_at, power = excluded.power, turn_n = excluded.turn_n,
    event_at = excluded.event_at, event_expression = excluded.event_expression;

-- name: scratchpad
SELECT current_focus, updated_at FROM scratchpads
WHERE tenant_id = :tenant AND session_id = :session_id;

-- name: put_scratchpad
INSERT INTO scratchpads (tenant_id, session_id, current_focus, updated_at, workspace_n)
VALUES (:tenant, :session_id, :current_focus, :updated_at, :workspace)
ON CONFLICT (tenant_id, session_id) DO UPDATE
SET current_focus = excluded.current_focus, updated_at = excluded.updated_at,
    workspace_n = excluded.workspace_n;

-- name: add_task
INSERT INTO completed_tasks (tenant_id, session_id, task, at)
SELECT :tenant, :session_id, :task, :at
WHERE NOT EXISTS (SELECT 1 FROM completed_tasks
                  WHERE tenant_id = :tenant AND session_id = :session_id AND task = :task
                    AND at = :at);

-- name: find_entry
SELECT n, state, attempts, not_before, finished_at, last_error, outcome FROM extraction_queue
WHERE session_n = :session_n AND kind = :kind AND first_index = :first_index
  AND last_index = :last_index AND newest_n = :newest_n AND +tenant_id = :tenant;

-- name: has_entry
SELECT EXISTS (SELECT 1 FROM extraction_queue WHERE id = :id AND tenant_id = :tenant);

-- name: free_newest
-- A number that no turn has, for an entry whose newest turn was erased.
SELECT {least}(0, coalesce(min(newest_n), 0)) - 1 FROM extraction_queue
WHERE session_n = :session_n AND kind = :kind AND +tenant_id = :tenant;

-- name: add_entry
INSERT INTO extraction_queue (id, tenant_id, kind, session_n, first_index, last_index, newest_n, priority,
                              reason, state, attempts, not_before, created_at, finished_at,
                              last_error, outcome)
VALUES (:id, :tenant, :kind, :session_n, :first_index, :last_index, :newest_n, :priority,
        :reason, :state, :attempts, :not_before, :created_at, :finished_at, :last_error, :outcome)
ON CONFLICT DO NOTHING;

-- name: set_entry
-- A leased entry is left alone.
UPDATE extraction_queue
SET state = :state, attempts = :attempts, not_before = :not_before, finished_at = :finished_at,
    last_error = :last_error, outcome = :outcome
WHERE n = :n AND lease_owner IS NULL AND +tenant_id = :tenant;

-- name: has_audit_entry
SELECT EXISTS (SELECT 1 FROM audit_log
               WHERE tenant_id = :tenant AND subject = :subject AND at = :at AND action = :action
                 AND channel = :channel AND client {is} :client AND caller {is} :caller
                 AND detail {is} :detail);
