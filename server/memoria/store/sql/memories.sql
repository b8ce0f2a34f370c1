-- For +tenant_id see conversations.sql.

-- name: add
INSERT INTO memories (id, tenant_id, workspace_n, type, validity, importance, confidence,
                      verified, subject, predicate, task, expires_at, flag, scope, metadata,
                      created_at, updated_at)
VALUES (:id, :tenant, :workspace, :type, :validity, :importance, :confidence,
        :verified, :subject, :predicate, :task, :expires_at, :flag, :scope, :metadata, :now, :now);

-- name: add_evidence
INSERT INTO memory_evidence (tenant_id, memory_n, turn_n, quote, ingested_at)
-- It bears out the wording that holds, so that it is never older (see fragments/wording_borne_out.sql).
SELECT :tenant, :memory_n, :turn_n, :quote,
       {greatest}(:now, (SELECT ingested_at FROM memory_versions
                  WHERE memory_n = :memory_n AND tenant_id = :tenant ORDER BY version DESC LIMIT 1))
WHERE NOT EXISTS (SELECT 1 FROM memory_versions WHERE memory_n = :memory_n AND turn_n = :turn_n)
ON CONFLICT DO NOTHING;

-- name: use
UPDATE memories
SET use_count = use_count + 1, last_used_at = :now, importance = {least}(1.0, importance + :gain)
WHERE n = :memory_n AND tenant_id = :tenant;

-- name: about
-- Found by the index on subjects: nearly all memories are active, hence the plus.
SELECT m.n
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
JOIN documents d ON d.n = v.n
WHERE m.tenant_id = :tenant AND m.subject = :subject AND +m.validity = 'active'
  AND (d.workspace_n IS NULL OR d.workspace_n = :workspace)
ORDER BY m.predicate IS NULL DESC, m.n DESC
LIMIT :limit;

-- name: of_property
-- As `about`, in another order; memories of another property are left out.
SELECT n FROM (
    SELECT m.n, m.predicate, m.predicate {is} :predicate AS is_same
    FROM memories m
    JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
    JOIN documents d ON d.n = v.n
    WHERE m.tenant_id = :tenant AND m.subject = :subject AND +m.validity = 'active'
      AND (d.workspace_n IS NULL OR d.workspace_n = :workspace)
    ORDER BY is_same DESC, m.n DESC
    LIMIT :limit)
WHERE is_same OR predicate IS NULL
ORDER BY is_same DESC, n DESC;

-- name: concluded
SELECT m.id
FROM {numbers :ns} wanted
CROSS JOIN memory_versions v ON v.turn_n = wanted.value AND +v.tenant_id = :tenant
JOIN memories m ON m.n = v.memory_n
WHERE v.valid_to IS NULL AND v.inferred_by = :by AND m.validity = 'active'
ORDER BY m.n;

-- name: turns_concluded
SELECT DISTINCT v.turn_n
FROM {numbers :ns} wanted
CROSS JOIN memory_versions v ON v.turn_n = wanted.value AND +v.tenant_id = :tenant
JOIN memories m ON m.n = v.memory_n
WHERE v.valid_to IS NULL AND m.validity = 'active';

-- name: turns_awaiting_confirmation
-- Orders to the memory by a tool or an assistant are left out.
SELECT DISTINCT v.turn_n
FROM {numbers :ns} wanted
CROSS JOIN memory_versions v ON v.turn_n = wanted.value AND +v.tenant_id = :tenant
JOIN memories m ON m.n = v.memory_n
JOIN turns t ON t.n = v.turn_n
WHERE v.valid_to IS NULL AND v.inferred_by = 'model' AND m.validity = 'pending_confirmation'
  AND (m.flag {is_not} 'instruction' OR t.role = 'user');

-- name: turns_spoken_for
-- Episodes, which rest on whole conversations, and archived memories are left out.
SELECT r.turn_n FROM (
    SELECT v.turn_n, v.memory_n FROM {numbers :ns} wanted
    CROSS JOIN memory_versions v ON v.turn_n = wanted.value AND +v.tenant_id = :tenant
    UNION
    SELECT e.turn_n, e.memory_n FROM {numbers :ns} wanted
    CROSS JOIN memory_evidence e ON e.turn_n = wanted.value AND +e.tenant_id = :tenant
) r
JOIN memories m ON m.n = r.memory_n
WHERE m.type NOT IN {conversation_summaries} AND m.validity <> 'archived';

-- name: turns_decided_with
-- Turns that a model has read, and from which no other memory awaits confirmation.
SELECT DISTINCT v.turn_n AS n
FROM memory_versions v
JOIN documents d ON d.n = v.turn_n
JOIN turns t ON t.n = v.turn_n
WHERE v.memory_n = :memory_n AND +v.tenant_id = :tenant AND v.inferred_by = 'model'
  AND NOT d.processed
  AND NOT EXISTS (SELECT 1 FROM memory_versions o JOIN memories m ON m.n = o.memory_n
                  WHERE o.turn_n = v.turn_n AND o.memory_n <> v.memory_n
                    AND o.valid_to IS NULL AND o.inferred_by = 'model'
                    AND m.validity = 'pending_confirmation'
                    AND (m.flag {is_not} 'instruction' OR t.role = 'user'));

-- name: number
SELECT n FROM memories WHERE tenant_id = :tenant AND id = :id;

-- name: numbers
SELECT m.n FROM {texts :ids} wanted
CROSS JOIN memories m ON m.id = wanted.value AND +m.tenant_id = :tenant
ORDER BY m.n DESC;

-- name: present_wording
SELECT v.n, v.content, v.valid_from, m.predicate, t.utc_offset
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
LEFT JOIN turns t ON t.n = v.turn_n
WHERE m.n = :memory_n AND m.tenant_id = :tenant;

-- name: place
-- Workspace that alone sees the memory, or NULL; predicate; offset of the clock of the turn.
SELECT CASE WHEN scope = 'project' THEN workspace_n END AS workspace_n, predicate,
       (SELECT utc_offset FROM turns WHERE n = :turn_n) AS utc_offset
FROM memories WHERE n = :memory_n AND tenant_id = :tenant;

-- name: add_version
INSERT INTO memory_versions (n, memory_n, tenant_id, version, content, fingerprint, valid_from,
                             ingested_at, source_kind, trust, channel, client, turn_n, quote,
                             inferred_by, event_at, event_expression, valid_to)
VALUES (:n, :memory_n, :tenant, :version, :content, :fingerprint, :valid_from,
        :ingested_at, :source_kind, :trust, :channel, :client, :turn_n, :quote,
        :inferred_by, :event_at, :event_expression, :valid_to);

-- name: newest_version
SELECT n, version, valid_from FROM memory_versions
WHERE memory_n = :memory_n AND tenant_id = :tenant
ORDER BY version DESC LIMIT 1;

-- name: windows
SELECT n, version, fingerprint, valid_from FROM memory_versions
WHERE memory_n = :memory_n AND +tenant_id = :tenant
ORDER BY version;

-- name: make_room
-- Version numbers are unique, so later ones become negative until `number_anew`.
UPDATE memory_versions SET version = -version
WHERE memory_n = :memory_n AND version >= :version AND +tenant_id = :tenant;

-- name: number_anew
UPDATE memory_versions SET version = 1 - version
WHERE memory_n = :memory_n AND version < 0 AND +tenant_id = :tenant;

-- name: end_version
-- A wording replaced from before its own beginning has held at no time.
UPDATE memory_versions SET valid_to = {greatest}(valid_from, :valid_to) WHERE n = :n AND tenant_id = :tenant;

-- name: end_evidence
-- Evidence of a wording must be older than the next wording, whatever the clock says.
UPDATE memory_evidence SET ingested_at = :now - 1
WHERE memory_n = :memory_n AND +tenant_id = :tenant AND ingested_at >= :now;

-- name: touch
UPDATE memories
SET updated_at = :now, verified = :verified, validity = 'active', expires_at = :expires_at,
    subject = coalesce(:subject, subject), predicate = coalesce(:predicate, predicate),
    type = coalesce(:type, type), task = coalesce(:task, task),
    importance = coalesce(:importance, importance), metadata = coalesce(:metadata, metadata)
WHERE n = :memory_n AND tenant_id = :tenant;

-- name: describe
UPDATE memories
SET updated_at = :now, type = coalesce(:type, type), subject = coalesce(:subject, subject),
    task = coalesce(:task, task), importance = coalesce(:importance, importance),
    metadata = coalesce(:metadata, metadata),
    expires_at = CASE WHEN :sets_end THEN :expires_at ELSE expires_at END
WHERE n = :memory_n AND tenant_id = :tenant;

-- name: set_validity
-- A memory that is made active again after its end has no end any more.
UPDATE memories
SET expires_at = CASE WHEN :validity = 'active' AND validity <> 'pending_confirmation'
                           AND expires_at <= :now THEN NULL ELSE expires_at END,
    validity = :validity, updated_at = :now
WHERE n = :memory_n AND tenant_id = :tenant;

-- name: set_scope
UPDATE memories SET scope = :scope, workspace_n = :workspace, updated_at = :now
WHERE n = :memory_n AND tenant_id = :tenant;

-- name: set_subject
UPDATE memories SET subject = :subject WHERE n = :memory_n AND tenant_id = :tenant;

-- name: mark
UPDATE memories
SET pinned = coalesce(:pinned, pinned),
    verified = coalesce(:verified, verified),
    confidence = coalesce(:confidence, confidence),
    upvotes = upvotes + :upvotes,
    downvotes = downvotes + :downvotes,
    updated_at = :now
WHERE n = :memory_n AND tenant_id = :tenant;

-- name: memories
SELECT m.n,
       -- When another memory took its place: the edge has it, for a restored memory has no end.
       CASE m.validity WHEN 'superseded' THEN
           (SELECT max(e.event_at) FROM nodes s
            CROSS JOIN edges e ON e.src_n = s.n AND e.code = {VERSION_NEXT} WHERE s.memory_n = m.n)
       END AS held_until,
       m.id, m.type, m.validity, m.importance, m.confidence, m.pinned, m.verified, m.upvotes,
       m.downvotes, m.created_at, m.updated_at, w.name AS workspace, m.scope, m.subject,
       m.predicate, m.task, m.expires_at,
       1 + (SELECT count(*) FROM memory_evidence e WHERE e.memory_n = m.n) AS evidence,
       {carried_of_m}
FROM memories m
LEFT JOIN workspaces w ON w.n = m.workspace_n
WHERE +m.tenant_id = :tenant AND m.n IN (SELECT value FROM {numbers :ns});

-- name: versions
SELECT {version_columns}
WHERE +v.tenant_id = :tenant AND v.memory_n IN (SELECT value FROM {numbers :ns})
ORDER BY v.memory_n, v.version DESC;

-- name: versions_beside
SELECT {version_columns}
WHERE +v.tenant_id = :tenant AND v.memory_n IN (  -- all wordings of what has one of these
    SELECT memory_n FROM memory_versions
    WHERE +tenant_id = :tenant AND n IN (SELECT value FROM {numbers :ns}))
ORDER BY v.memory_n, v.version DESC;

-- name: with_fingerprint
SELECT v.memory_n
FROM memory_versions v
JOIN memories m ON m.n = v.memory_n
JOIN documents d ON d.n = v.n
WHERE v.tenant_id = :tenant AND v.fingerprint = :fingerprint AND v.valid_to IS NULL
  AND (d.workspace_n IS NULL OR d.workspace_n = :workspace)
ORDER BY m.validity = 'active' DESC, v.n DESC LIMIT 1;

-- name: newest_unverified
-- Reads the newest `:reach` memories of the file alone, backwards.
SELECT m.n
FROM memories m
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN documents d ON d.n = v.n
WHERE m.n > (SELECT max(n) FROM memories) - :reach
  AND +m.tenant_id = :tenant AND +m.validity = 'active' AND NOT m.verified
  AND (d.workspace_n IS NULL OR d.workspace_n = :workspace)
ORDER BY m.n DESC LIMIT :limit;

-- name: unverified
SELECT m.n
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
JOIN documents d ON d.n = v.n
WHERE m.tenant_id = :tenant AND m.validity = 'active' AND NOT m.verified
  AND (d.workspace_n IS NULL OR d.workspace_n = :workspace)
ORDER BY m.n DESC LIMIT :limit;

-- name: held_back
SELECT m.n
FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
JOIN documents d ON d.n = v.n
WHERE m.tenant_id = :tenant AND m.validity = 'pending_confirmation' AND m.n < :before
  AND {workspace_sees}
ORDER BY m.n DESC LIMIT :limit;

-- name: contradictions
-- An edge that is older than a present wording contradicts a former wording. An edge stands once, with
-- either memory as its source.
SELECT DISTINCT m.id, o.id AS other
FROM {texts :ids} wanted
CROSS JOIN memories m ON m.id = wanted.value AND +m.tenant_id = :tenant
CROSS JOIN nodes x ON x.memory_n = m.n
CROSS JOIN edges e ON (e.src_n = x.n AND e.code = {CONTRADICTS})
                   OR (e.dst_n = x.n AND e.code = {CONTRADICTS})
CROSS JOIN nodes y ON y.n = CASE x.n WHEN e.src_n THEN e.dst_n ELSE e.src_n END
CROSS JOIN memories o ON o.n = y.memory_n
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN memory_versions w ON w.memory_n = o.n AND w.valid_to IS NULL
CROSS JOIN documents d ON d.n = w.n
WHERE o.validity IN ('active', 'pending_confirmation')
  AND e.created_at >= v.ingested_at AND e.created_at >= w.ingested_at
  AND {workspace_sees}
ORDER BY 1, 2;

-- name: contradicted
-- One of each two active memories that contradict each other and that a project sees together; see
-- `contradictions`.
SELECT m.n, max(e.created_at) AS marked_at
FROM edges e
CROSS JOIN nodes x ON x.n = e.src_n
CROSS JOIN memories m ON m.n = x.memory_n AND m.validity = 'active'
CROSS JOIN nodes y ON y.n = e.dst_n
CROSS JOIN memories o ON o.n = y.memory_n AND o.validity = 'active'
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN memory_versions w ON w.memory_n = o.n AND w.valid_to IS NULL
CROSS JOIN documents c ON c.n = v.n
CROSS JOIN documents d ON d.n = w.n
WHERE e.tenant_id = :tenant AND e.code = {CONTRADICTS}
  AND e.created_at >= v.ingested_at AND e.created_at >= w.ingested_at
  AND (c.workspace_n IS NULL OR c.workspace_n = :workspace
       OR (:everywhere AND c.workspace_n NOT IN (SELECT value FROM {numbers :private})))
  AND {workspace_sees}
  AND (c.workspace_n IS NULL OR d.workspace_n IS NULL OR c.workspace_n = d.workspace_n)
GROUP BY m.n
ORDER BY marked_at DESC, m.n DESC LIMIT :limit;

-- name: wordings
SELECT n FROM memory_versions WHERE memory_n = :memory_n AND +tenant_id = :tenant;

-- name: erase_evidence
DELETE FROM memory_evidence AS e
WHERE e.memory_n = :memory_n AND +e.tenant_id = :tenant
  AND {wording_borne_out} = (SELECT version FROM memory_versions WHERE n = :n);

-- name: erase_version
DELETE FROM memory_versions WHERE n = :n AND +tenant_id = :tenant;

-- name: empty_images
UPDATE nightly_changes SET image = '{}'
WHERE memory_n = (SELECT n FROM memories WHERE n = :memory_n AND tenant_id = :tenant);

-- name: erase
DELETE FROM memories WHERE n = :memory_n AND tenant_id = :tenant;

-- name: resting_on
SELECT DISTINCT m.id
FROM {numbers :ns} wanted
CROSS JOIN memory_versions v ON v.turn_n = wanted.value AND +v.tenant_id = :tenant
JOIN memories m ON m.n = v.memory_n
ORDER BY m.id;

-- name: by_turns
-- Turns, each with the newest wordings of the memories that were concluded from it, or that it repeats.
SELECT said.turn_n, v.n
FROM (SELECT w.value AS turn_n, o.memory_n
      FROM {numbers :ns} w
      CROSS JOIN memory_versions o ON o.turn_n = w.value AND +o.tenant_id = :tenant
      UNION
      SELECT w.value, e.memory_n
      FROM {numbers :ns} w
      CROSS JOIN memory_evidence e ON e.turn_n = w.value AND +e.tenant_id = :tenant) said
CROSS JOIN memory_versions v ON v.memory_n = said.memory_n AND v.version = (
     SELECT max(version) FROM memory_versions WHERE memory_n = said.memory_n)
ORDER BY said.turn_n, v.memory_n
LIMIT :limit;

-- name: evidence
-- Those of wordings first, then the newest.
SELECT t.id AS turn_id, s.source, s.session_id, t.message_id, t.turn_index, t.role, t.speaker,
       t.at, v.quote, v.version, v.ingested_at AS noted_at
FROM memories m
CROSS JOIN memory_versions v ON v.memory_n = m.n
CROSS JOIN turns t ON t.n = v.turn_n
CROSS JOIN sessions s ON s.n = t.session_n
WHERE m.id = :id AND +m.tenant_id = :tenant
UNION ALL
SELECT t.id, s.source, s.session_id, t.message_id, t.turn_index, t.role, t.speaker,
       t.at, e.quote, NULL, e.ingested_at
FROM memories m
CROSS JOIN memory_evidence e ON e.memory_n = m.n
CROSS JOIN turns t ON t.n = e.turn_n
CROSS JOIN sessions s ON s.n = t.session_n
WHERE m.id = :id AND +m.tenant_id = :tenant
ORDER BY 10 DESC NULLS LAST, 8 DESC, 11 DESC, 1 LIMIT :limit;

-- name: said_again_in
SELECT DISTINCT m.id
FROM {numbers :ns} wanted
CROSS JOIN memory_evidence e ON e.turn_n = wanted.value AND +e.tenant_id = :tenant
JOIN memories m ON m.n = e.memory_n
ORDER BY m.id;

-- name: successors
-- `said`: wordings that stand in the documents, or rest on them. `led`: the same with the memories that
-- took the place of the memory.
WITH RECURSIVE said (n, memory_n, former) AS (
    SELECT wanted.value, v.memory_n, v.content
    FROM {numbers :ns} wanted
    CROSS JOIN memory_versions v ON v.turn_n = wanted.value AND +v.tenant_id = :tenant
    UNION
    SELECT wanted.value, v.memory_n, v.content
    FROM {numbers :ns} wanted
    CROSS JOIN memory_versions v ON v.n = wanted.value AND +v.tenant_id = :tenant
    UNION
    SELECT wanted.value, e.memory_n, v.content
    FROM {numbers :ns} wanted
    CROSS JOIN memory_evidence e ON e.turn_n = wanted.value AND +e.tenant_id = :tenant
    CROSS JOIN memory_versions v ON v.memory_n = e.memory_n
    WHERE v.version = (SELECT max(w.version) FROM memory_versions w
                       WHERE w.memory_n = e.memory_n AND w.ingested_at <= e.ingested_at)),
led (n, memory_n, former) AS (
    SELECT n, memory_n, former FROM said
    UNION
    SELECT l.n, t.memory_n, l.former
    FROM led l CROSS JOIN memories m ON m.n = l.memory_n AND m.validity = 'superseded'
    CROSS JOIN nodes s ON s.memory_n = m.n
    CROSS JOIN edges e ON e.src_n = s.n AND e.code = {VERSION_NEXT}
    CROSS JOIN nodes t ON t.n = e.dst_n AND t.memory_n IS NOT NULL)
SELECT l.n, l.former, v.n AS n_now, v.content AS present
FROM led l
CROSS JOIN memories m ON m.n = l.memory_n
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
CROSS JOIN documents d ON d.n = v.n
WHERE m.validity = 'active'
  AND {workspace_sees}
ORDER BY l.n, v.n;
