-- name: mark
-- Number of an analyser, and the last document with its words.
SELECT value FROM settings WHERE key = 'words';

-- name: set_mark
INSERT INTO settings (key, value) VALUES ('words', :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: last_of_page
SELECT max(n) FROM (SELECT n FROM documents WHERE n > :after ORDER BY n LIMIT :most);

-- name: wordings
SELECT v.n, v.content, v.valid_from, m.predicate, t.utc_offset
FROM memory_versions v JOIN memories m ON m.n = v.memory_n LEFT JOIN turns t ON t.n = v.turn_n
WHERE v.n IN (SELECT value FROM {numbers :ns}) AND +v.tenant_id = :tenant;
