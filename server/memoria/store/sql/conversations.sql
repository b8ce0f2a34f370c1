-- A plus before a column (+tenant_id) keeps the planner from using an index on the column, so that
-- rows are found by the keys given and not by walking through all rows of the tenant.

-- name: enter_session
INSERT INTO sessions (tenant_id, source, session_id, first_at, last_at, last_ingested_at,
                      workspace_n)
VALUES (:tenant, :source, :session_id, :first_at, :last_at, :now, :workspace)
ON CONFLICT (tenant_id, source, session_id) DO UPDATE
SET first_at = {least}(sessions.first_at, excluded.first_at),
    last_at = {greatest}(sessions.last_at, excluded.last_at),
    last_ingested_at = excluded.last_ingested_at
RETURNING n, source, session_id, first_at, last_at, next_index AS turns, agent_turns, workspace_n;

-- name: session_workspace
SELECT workspace_n FROM sessions WHERE n = :session_n AND tenant_id = :tenant;

-- name: count_turn
UPDATE sessions
SET next_index = {greatest}(next_index, :turn_index + 1), agent_turns = agent_turns + :agent
WHERE n = :session_n AND tenant_id = :tenant;

-- name: find_messages
-- Of each message the newest version comes last.
SELECT t.message_id, t.n, t.id, t.turn_index, t.version, t.fingerprint
FROM {texts :message_ids} wanted
CROSS JOIN turns t ON t.session_n = :session_n AND t.message_id = wanted.value
           AND +t.tenant_id = :tenant
ORDER BY t.version;

-- name: find_fingerprint
SELECT t.id
FROM turns t JOIN documents d ON d.n = t.n
WHERE t.session_n = :session_n AND t.fingerprint = :fingerprint AND +t.tenant_id = :tenant
  AND d.current
ORDER BY +t.turn_index DESC, t.version DESC
LIMIT 1;

-- name: last_fingerprints
SELECT t.fingerprint
FROM turns t JOIN documents d ON d.n = t.n
WHERE t.session_n = :session_n AND t.tenant_id = :tenant AND d.current AND t.attached_to IS NULL
ORDER BY t.turn_index DESC, t.version DESC
LIMIT :count;

-- name: first_fingerprints
SELECT t.fingerprint
FROM turns t JOIN documents d ON d.n = t.n
WHERE t.session_n = :session_n AND t.tenant_id = :tenant AND d.current AND t.attached_to IS NULL
ORDER BY t.turn_index, t.version
LIMIT :count;

-- name: add_turn
INSERT INTO turns (n, id, tenant_id, session_n, message_id, turn_index, version, role, speaker,
                   at, utc_offset, at_given, ingested_at, trust, fingerprint, account, likeness,
                   content_hash, tool_name, args_hash, result_hash, file_hash, attached_to,
                   metadata)
VALUES (:n, :id, :tenant, :session_n, :message_id, :turn_index, :version, :role, :speaker,
        :at, :utc_offset, :at_given, :ingested_at, :trust, :fingerprint, :account, :likeness,
        :content_hash, :tool_name, :args_hash, :result_hash, :file_hash,
        (SELECT o.n FROM turns o WHERE o.id = :attached_to AND +o.tenant_id = :tenant), :metadata);

-- name: begin_segment
INSERT INTO segments (tenant_id, session_n, ordinal, first_index, last_index, messages, opened_at,
                       last_at, touched_at)
SELECT :tenant, :session_n, count(*), :turn_index, :turn_index, :message, :at, :at, :now
FROM segments WHERE session_n = :session_n;

-- name: open_segment
SELECT first_index, last_index, messages, last_at FROM segments
WHERE session_n = :session_n AND +tenant_id = :tenant AND closed_at IS NULL;

-- name: extend_segment
UPDATE segments
SET last_index = {greatest}(last_index, :turn_index), messages = messages + :message,
    last_at = {greatest}(last_at, :at), touched_at = :now
WHERE session_n = :session_n AND +tenant_id = :tenant AND closed_at IS NULL;

-- name: touch_segment
UPDATE segments SET touched_at = :now
WHERE session_n = :session_n AND +tenant_id = :tenant AND closed_at IS NULL
  AND :turn_index BETWEEN first_index AND last_index;

-- name: end_segment
UPDATE segments SET closed_at = :now, closed_by = :reason
WHERE session_n = :session_n AND +tenant_id = :tenant AND closed_at IS NULL;

-- name: close_segment
UPDATE segments SET closed_at = :now, closed_by = :reason
WHERE +tenant_id = :tenant AND closed_at IS NULL
  AND session_n IN (SELECT n FROM sessions WHERE tenant_id = :tenant
                    AND session_id = :session_id AND source = :source)
RETURNING session_n, first_index, last_index, closed_by;

-- name: any_idle
-- Asked before each capture: an update that finds no row costs many times as much.
SELECT EXISTS (SELECT 1 FROM segments
               WHERE tenant_id = :tenant AND closed_at IS NULL AND touched_at < :touched_before);

-- name: close_idle
UPDATE segments SET closed_at = :now, closed_by = 'idle'
WHERE n IN (SELECT n FROM segments
            WHERE tenant_id = :tenant AND closed_at IS NULL AND touched_at < :touched_before
            ORDER BY touched_at, n LIMIT :most)
RETURNING session_n, first_index, last_index, closed_by;

-- name: close_past
UPDATE segments SET closed_at = :now, closed_by = 'idle'
WHERE tenant_id = :tenant AND closed_at IS NULL AND last_at < :said_before
RETURNING session_n, first_index, last_index, closed_by;

-- name: unqueued_segments
-- A segment whose turns are all forgotten, or were queued as one entry already, is left out.
SELECT x.session_n, x.first_index, x.last_index, x.closed_by
FROM segments x
WHERE x.tenant_id = :tenant AND x.closed_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM sessions s JOIN workspaces w ON w.n = s.workspace_n
                  WHERE s.n = x.session_n AND +s.tenant_id = :tenant
                    AND w.name IN (SELECT value FROM {texts :private}))
  AND NOT EXISTS (SELECT 1 FROM extraction_queue q
                  WHERE q.session_n = x.session_n AND q.kind = 'extract'
                    AND q.first_index = x.first_index
                    AND (q.reason = x.closed_by OR q.last_index = x.last_index))
  AND EXISTS (SELECT 1 FROM turns t
              WHERE t.session_n = x.session_n
                AND t.turn_index BETWEEN x.first_index AND x.last_index)
ORDER BY x.n
LIMIT :limit;

-- name: turns
SELECT t.n, t.id, s.source, s.session_id, t.session_n, t.message_id, t.turn_index, t.version,
       d.current, d.suppressed AS suppressed, d.processed, t.role, t.speaker, t.account, t.at,
       t.utc_offset, t.ingested_at, t.trust, w.name AS workspace, t.metadata, t.tool_name,
       t.content_hash, t.args_hash, t.result_hash, c.codec, c.data
FROM turns t
JOIN documents d ON d.n = t.n
JOIN sessions s ON s.n = t.session_n
LEFT JOIN raw_chunks c ON c.tenant_id = t.tenant_id AND c.hash = t.content_hash
                      AND t.n NOT IN (SELECT value FROM {numbers :heard})
LEFT JOIN workspaces w ON w.n = s.workspace_n
WHERE +t.tenant_id = :tenant AND t.n IN (SELECT value FROM {numbers :ns});

-- name: turn_number
SELECT n FROM turns WHERE tenant_id = :tenant AND id = :id;

-- name: turn_numbers
SELECT t.n FROM {texts :ids} wanted
CROSS JOIN turns t ON t.id = wanted.value AND +t.tenant_id = :tenant;

-- name: words_before
-- The user's last words in a session, from a moment to another.
SELECT t.n
FROM turns t JOIN documents d ON d.n = t.n JOIN sessions s ON s.n = t.session_n
WHERE t.tenant_id = :tenant AND t.at BETWEEN :since AND :until AND t.role = 'user'
  AND s.session_id = :session_id AND d.current
ORDER BY t.at DESC, t.n DESC LIMIT 1;

-- name: find_turn
SELECT t.n
FROM sessions s JOIN turns t ON t.session_n = s.n AND t.message_id = :message_id
WHERE s.tenant_id = :tenant AND s.source = :source AND s.session_id = :session_id
  AND t.tenant_id = :tenant
ORDER BY t.version DESC
LIMIT 1;

-- name: turn_versions
SELECT n FROM turns
WHERE tenant_id = :tenant AND session_n = :session_n AND turn_index = :turn_index
ORDER BY version DESC;

-- name: places
WITH wanted (n, session_n, first_index, last_index) AS MATERIALIZED (
    SELECT t.n, t.session_n, t.turn_index - :reach, t.turn_index + :reach
    FROM {numbers :ns} listed
    CROSS JOIN turns t ON t.n = listed.value AND t.tenant_id = :tenant)
SELECT DISTINCT o.n, o.session_n, o.turn_index
FROM wanted w
CROSS JOIN turns o ON o.session_n = w.session_n
           AND o.turn_index BETWEEN w.first_index AND w.last_index
JOIN documents d ON d.n = o.n AND (o.n = w.n OR d.current);

-- name: speaker_at
SELECT t.speaker FROM turns t JOIN documents d ON d.n = t.n AND d.current
WHERE +t.tenant_id = :tenant AND t.session_n = :session_n AND t.turn_index = :turn_index;

-- name: user_speakers
-- Each step of the recursion finds the next name by the index: one step a name, not a turn.
WITH RECURSIVE names (speaker, ordinal) AS (
    SELECT min(speaker), 1 FROM turns
    WHERE tenant_id = :tenant AND role = 'user' AND speaker IS NOT NULL
    UNION ALL
    SELECT (SELECT min(t.speaker) FROM turns t
            WHERE t.tenant_id = :tenant AND t.role = 'user' AND t.speaker > names.speaker),
           ordinal + 1
    FROM names WHERE names.speaker IS NOT NULL AND ordinal < CAST(:limit AS BIGINT)
),
firsts (n) AS MATERIALIZED (
    SELECT (SELECT min(o.n) FROM turns o
            WHERE o.tenant_id = :tenant AND o.role = 'user' AND o.speaker = names.speaker)
    FROM names
)
SELECT t.speaker AS name, t.n AS first_turn, t.session_n AS first_session
FROM firsts CROSS JOIN turns t ON t.n = firsts.n
ORDER BY t.n;

-- name: remarks
SELECT t.n, t.speaker, t.role, t.at,
       t.tool_name IS NULL AND t.args_hash IS NULL AND t.result_hash IS NULL AS is_whole,
       t.content_hash, c.codec, c.data
FROM turns t
LEFT JOIN raw_chunks c ON c.tenant_id = t.tenant_id AND c.hash = t.content_hash
WHERE +t.tenant_id = :tenant AND t.n IN (SELECT value FROM {numbers :ns});

-- name: around
SELECT t.n
FROM turns t JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant AND t.session_n = :session_n AND d.current
  AND t.turn_index BETWEEN :turn_index - :reach AND :turn_index + :reach
  AND t.turn_index <> :turn_index
ORDER BY t.turn_index, t.version;

-- name: span
SELECT t.n
FROM turns t JOIN documents d ON d.n = t.n
WHERE t.session_n = :session_n AND +t.tenant_id = :tenant AND d.current
  AND t.turn_index BETWEEN :first_index AND :last_index
ORDER BY t.turn_index, t.version;

-- name: unread
-- The newest turns stand last in the table, so that no index is needed to find them.
SELECT n FROM documents
WHERE tenant_id = :tenant AND kind = 'turn' AND current AND NOT (suppressed OR processed)
  AND (workspace_n IS NULL OR workspace_n = :workspace)
  AND NOT (SELECT t.passed_over FROM turns t WHERE t.n = documents.n)
ORDER BY n DESC
LIMIT :limit;

-- name: calls_and_words
-- The newest calls and words of the user in a workspace, by number; walked as the unread ones are.
SELECT d.n
FROM documents d JOIN turns t ON t.n = d.n
WHERE d.tenant_id = :tenant AND d.kind = 'turn' AND d.current AND NOT d.suppressed
  AND d.workspace_n = :workspace AND (t.role = 'user' OR t.args_hash IS NOT NULL)
ORDER BY d.n DESC
LIMIT :limit;

-- name: unread_of_session
SELECT t.n
FROM turns t JOIN documents d ON d.n = t.n
WHERE t.session_n = :session_n AND +t.tenant_id = :tenant AND t.turn_index >= :first_index
  AND d.current AND NOT (d.suppressed OR d.processed OR t.passed_over)
ORDER BY t.turn_index, t.version
LIMIT :limit;

-- name: pass_over
UPDATE turns SET passed_over = TRUE WHERE n = :n AND +tenant_id = :tenant;

-- name: passed_over
SELECT n FROM turns
WHERE n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant AND passed_over;

-- name: user_turns_beside
-- The nearest turn of the user on each side; of an attachment, that of its message or before.
SELECT listed.value AS n,
       (SELECT t.n FROM turns t JOIN documents d ON d.n = t.n
        WHERE t.session_n = one.session_n AND +t.tenant_id = :tenant AND d.current
          AND t.role = 'user' AND t.turn_index < one.turn_index
              + CASE WHEN given.attached_to IS NULL THEN 0 ELSE 1 END
        ORDER BY t.turn_index DESC, t.version DESC LIMIT 1) AS before_n,
       (SELECT t.n FROM turns t JOIN documents d ON d.n = t.n
        WHERE t.session_n = one.session_n AND +t.tenant_id = :tenant AND d.current
          AND t.role = 'user' AND t.turn_index > one.turn_index
        ORDER BY t.turn_index, t.version LIMIT 1) AS after_n
FROM {numbers :ns} listed
CROSS JOIN turns given ON given.n = listed.value AND +given.tenant_id = :tenant
CROSS JOIN turns one ON one.n = coalesce(given.attached_to, given.n) AND +one.tenant_id = :tenant
ORDER BY listed.value;

-- name: mark
UPDATE turns SET mark = :mark WHERE n = :n AND +tenant_id = :tenant;

-- name: wishes
SELECT t.n
FROM turns t JOIN documents d ON d.n = t.n AND d.current AND NOT d.suppressed
WHERE t.tenant_id = :tenant AND t.mark = 'wish'
ORDER BY t.at DESC, t.n DESC
LIMIT :limit;

-- name: unmarked
SELECT n FROM turns WHERE tenant_id = :tenant AND mark IS NULL ORDER BY n LIMIT :limit;

-- name: count_unmarked
SELECT count(*) FROM turns WHERE tenant_id = :tenant AND mark IS NULL;

-- name: session_turns
SELECT t.n
FROM sessions s
JOIN turns t ON t.session_n = s.n AND +t.tenant_id = :tenant
JOIN documents d ON d.n = t.n
WHERE s.tenant_id = :tenant AND s.session_id = :session_id AND d.current
ORDER BY s.n, t.turn_index, t.version
LIMIT :limit OFFSET :offset;

-- name: session_size
SELECT count(*)
FROM sessions s
JOIN turns t ON t.session_n = s.n AND +t.tenant_id = :tenant
JOIN documents d ON d.n = t.n
WHERE s.tenant_id = :tenant AND s.session_id = :session_id AND d.current;

-- name: segments
SELECT x.ordinal, x.first_index, x.last_index, x.closed_by
FROM segments x JOIN sessions s ON s.n = x.session_n
WHERE s.tenant_id = :tenant AND s.session_id = :session_id AND +x.tenant_id = :tenant
ORDER BY s.n, x.ordinal;

-- name: stored_versions
SELECT n, message_id, fingerprint, likeness, content_hash, args_hash, result_hash, file_hash
FROM turns
WHERE +tenant_id = :tenant AND session_n = :session_n AND turn_index = :turn_index
ORDER BY version;

-- name: followers
SELECT t.n FROM turns t JOIN documents d ON d.n = t.n AND d.current
WHERE +t.tenant_id = :tenant AND t.session_n = :session_n AND t.turn_index = :turn_index + 1;

-- name: concluded_from
SELECT memory_n FROM memory_versions WHERE turn_n = :n AND +tenant_id = :tenant;

-- name: cite_evidence
-- A wording concluded from a turn that is to be erased is cited from a turn of its evidence instead,
-- a suppressed turn last.
UPDATE memory_versions AS v
SET turn_n = x.turn_n, quote = x.quote, event_expression = NULL
FROM (SELECT o.n, e.turn_n, e.quote,
             row_number() OVER (PARTITION BY o.n ORDER BY d.suppressed, e.n) AS place
      FROM memory_versions o
      CROSS JOIN memory_evidence e ON e.memory_n = o.memory_n
      CROSS JOIN documents d ON d.n = e.turn_n
      WHERE o.turn_n = :n AND +o.tenant_id = :tenant AND o.inferred_by <> 'statement'
        AND {wording_borne_out} = o.version) AS x
WHERE v.n = x.n AND x.place = 1 AND +v.tenant_id = :tenant;

-- name: drop_cited_evidence
-- A turn from which a wording is cited is not in the evidence of the wording as well.
DELETE FROM memory_evidence AS e
WHERE EXISTS (SELECT 1 FROM memory_versions v
              WHERE v.memory_n = e.memory_n AND v.turn_n = e.turn_n
                AND v.version = {wording_borne_out})
  AND e.memory_n IN (SELECT value FROM {numbers :memory_ns}) AND +e.tenant_id = :tenant;

-- name: unlink_memories
UPDATE memory_versions SET turn_n = NULL, quote = CASE WHEN quote = content THEN quote END,
    event_expression = CASE WHEN inferred_by = 'statement' THEN event_expression END
WHERE turn_n = :n AND +tenant_id = :tenant;

-- name: erase_turn
DELETE FROM turns WHERE n = :n AND +tenant_id = :tenant;
