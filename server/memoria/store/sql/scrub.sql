-- name: pending
SELECT value FROM settings WHERE key = 'scrub';

-- name: done
DELETE FROM settings WHERE key = 'scrub' AND value = :value;
