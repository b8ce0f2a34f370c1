-- Goose. Which columns there are depends on its version.

-- name: messages
SELECT s.*, m.*
FROM messages m JOIN sessions s ON s.id = m.session_id
ORDER BY m.session_id, m.id;
