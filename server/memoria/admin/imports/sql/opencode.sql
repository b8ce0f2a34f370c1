-- OpenCode. A session with a parent is a subagent's.

-- name: parts
SELECT m.session_id AS session_id, m.id AS message_id, m.time_created AS time_created,
       m.data AS message, p.data AS part, s.directory AS directory
FROM message m
JOIN session s ON s.id = m.session_id
LEFT JOIN part p ON p.message_id = m.id
WHERE s.parent_id IS NULL
ORDER BY m.session_id, m.time_created, m.id, p.id;
