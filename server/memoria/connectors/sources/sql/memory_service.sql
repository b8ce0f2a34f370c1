-- mcp-memory-service. Older versions have no column for what was deleted.

-- name: memories
SELECT * FROM memories ORDER BY rowid;
