-- name: alike
SELECT t.n FROM turns t JOIN documents d ON d.n = t.n AND d.current
WHERE t.session_n = :session_n AND t.likeness = :likeness AND +t.tenant_id = :tenant
  AND (:account IS NULL OR t.account = :account)
ORDER BY t.turn_index, t.version
LIMIT :limit;

-- name: last_index
-- Read backwards by the index of places, up to the first match.
SELECT coalesce((SELECT turn_index FROM turns
                 WHERE session_n = :session_n AND account {is_not} 'agent' AND +tenant_id = :tenant
                 ORDER BY turn_index DESC LIMIT 1), -1);

-- name: after
SELECT t.n FROM turns t JOIN documents d ON d.n = t.n AND d.current
WHERE +t.tenant_id = :tenant AND t.session_n = :session_n AND t.turn_index = :turn_index + 1;

-- name: hashes
SELECT content_hash, args_hash, result_hash FROM turns WHERE n = :n AND +tenant_id = :tenant;

-- name: hand_over
UPDATE turns
SET account = 'client', message_id = :message_id, turn_index = :turn_index, speaker = :speaker,
    at = :at, utc_offset = :utc_offset, at_given = :at_given, trust = :trust,
    fingerprint = :fingerprint, likeness = :likeness, content_hash = :content_hash,
    tool_name = :tool_name, args_hash = :args_hash, result_hash = :result_hash,
    metadata = coalesce(:metadata, metadata)
WHERE n = :n AND +tenant_id = :tenant;

-- name: count
UPDATE sessions
SET next_index = {greatest}(next_index, :turn_index + 1), agent_turns = {greatest}(agent_turns - 1, 0)
WHERE n = :session_n AND tenant_id = :tenant;
