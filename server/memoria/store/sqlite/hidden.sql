-- name: want_scrub
INSERT INTO settings (key, value) VALUES ('scrub', lower(hex(randomblob(8))))
ON CONFLICT DO UPDATE SET value = excluded.value;
