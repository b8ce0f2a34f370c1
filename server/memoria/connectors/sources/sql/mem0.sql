-- mem0 and OpenMemory.

-- name: openmemory
SELECT m.id AS id, m.content AS content, m.state AS state, m.created_at AS created_at,
       m.updated_at AS updated_at, a.name AS app
FROM memories m LEFT JOIN apps a ON a.id = m.app_id
ORDER BY m.rowid;

-- name: history
-- Each memory as the last event left it.
SELECT h.memory_id AS id, h.new_memory AS content,
       CASE WHEN h.event = 'DELETE' OR h.is_deleted THEN 'deleted' ELSE 'active' END AS state,
       h.created_at AS created_at, h.updated_at AS updated_at
FROM history h
WHERE h.rowid = (SELECT max(l.rowid) FROM history l WHERE l.memory_id = h.memory_id)
ORDER BY h.rowid;
