-- name: want_scrub
INSERT INTO settings (key, value) VALUES ('scrub', CAST(gen_random_uuid() AS TEXT))
ON CONFLICT (key) DO UPDATE SET value = excluded.value;
