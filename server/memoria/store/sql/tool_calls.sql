-- name: add
INSERT INTO tool_calls (tenant_id, kind, key, turn_n, detail, outcome, is_edit)
VALUES (:tenant, :kind, :key, :turn_n, :detail, :outcome, :is_edit)
ON CONFLICT DO NOTHING;

-- name: drop
DELETE FROM tool_calls WHERE turn_n = :n AND +tenant_id = :tenant;

-- name: keys
-- Keys of a kind with their newest turn: repetitions are one.
SELECT key, max(turn_n) AS newest FROM tool_calls
WHERE tenant_id = :tenant AND kind = :kind
GROUP BY key ORDER BY newest DESC, key LIMIT :most;

-- name: of_keys
SELECT c.kind, c.key, c.turn_n, c.detail, c.outcome, c.is_edit
FROM {texts :keys} w
CROSS JOIN tool_calls c ON c.tenant_id = :tenant AND c.kind = :kind AND c.key = w.value
ORDER BY c.turn_n DESC, c.key LIMIT :most;

-- name: runs
-- Commands in the order in which they were recorded, each with its session and project.
SELECT s.session_id, coalesce(s.workspace_n, 0) AS project_n, c.detail, c.outcome
FROM tool_calls c
JOIN turns t ON t.n = c.turn_n
JOIN sessions s ON s.n = t.session_n
WHERE c.tenant_id = :tenant AND c.kind = 'command'
ORDER BY c.turn_n, c.detail;

-- name: below
-- Files below a folder.
SELECT kind, key, turn_n, detail, outcome, is_edit FROM tool_calls
WHERE tenant_id = :tenant AND kind = 'file' AND {position}(detail, :folder) > 0
ORDER BY turn_n DESC, key LIMIT :most;

-- name: holding
-- Commands with a word in them, where no command has such a name.
SELECT kind, key, turn_n, detail, outcome, is_edit FROM tool_calls
WHERE tenant_id = :tenant AND kind = 'command' AND {position}(detail, :word) > 0
ORDER BY turn_n DESC, key LIMIT :most;

-- name: of_session
-- Calls of the session in which a turn was, from that turn on, in their order.
SELECT c.kind, c.key, c.turn_n, c.detail, c.outcome, c.is_edit
FROM turns f
CROSS JOIN turns t ON t.session_n = f.session_n AND t.turn_index >= f.turn_index
                  AND t.turn_index <= f.turn_index + :reach
CROSS JOIN tool_calls c ON c.turn_n = t.n
WHERE f.n = :n AND +f.tenant_id = :tenant
ORDER BY t.turn_index, t.version, c.kind, c.key;

-- name: of_turns
SELECT kind, key, turn_n, detail, outcome, is_edit FROM tool_calls
WHERE turn_n IN (SELECT value FROM {numbers :ns}) AND +tenant_id = :tenant
ORDER BY turn_n, kind, key;

-- name: pending
SELECT turn_n FROM tool_calls
WHERE tenant_id = :tenant AND kind = 'pending' AND key = ''
ORDER BY turn_n LIMIT :most;
