-- name: setting
SELECT value FROM settings WHERE key = :name;

-- name: set
INSERT INTO settings (key, value) VALUES (:name, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: unset
DELETE FROM settings WHERE key = :name;
