-- OpenCode. A session with a parent is a subagent's. Version 2 has a row a message, words and
-- calls in it, and a table of sessions of its own, but for sessions of version 1.

-- name: parts
SELECT m.session_id AS session_id, m.id AS message_id, m.time_created AS time_created,
       m.data AS message, p.data AS part, s.directory AS directory
FROM message m
JOIN session s ON s.id = m.session_id
LEFT JOIN part p ON p.message_id = m.id
WHERE s.parent_id IS NULL
ORDER BY m.session_id, m.time_created, m.id, p.id;

-- name: prompts
SELECT session_id, count(*) AS prompts FROM message
WHERE data LIKE '%"role":"user"%' OR data LIKE '%"role": "user"%' GROUP BY session_id;

-- name: prompts_two
SELECT session_id, count(*) AS prompts FROM session_message WHERE type = 'user'
GROUP BY session_id;

-- name: messages_two
SELECT m.session_id, m.id AS message_id, m.type, m.time_created AS said_at, m.data, s.*
FROM session_message m LEFT JOIN session s ON s.id = m.session_id
ORDER BY m.session_id, m.seq;

-- name: messages_two_of_own_sessions
SELECT m.session_id, m.id AS message_id, m.type, m.time_created AS said_at, m.data, s.*
FROM session_message m LEFT JOIN session_v2 s ON s.id = m.session_id
ORDER BY m.session_id, m.seq;
