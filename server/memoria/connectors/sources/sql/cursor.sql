-- Cursor's editor. A semicolon is the character after a colon.

-- name: conversations
SELECT key, value FROM cursorDiskKV
WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL ORDER BY key;

-- name: ids
SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;';

-- name: value
SELECT value FROM cursorDiskKV WHERE key = :key;

-- name: agents
SELECT composerId FROM composerHeaders WHERE isSubagent;
