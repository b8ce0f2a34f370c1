-- name: pending
SELECT value FROM settings WHERE key = 'scrub';

-- name: done
DELETE FROM settings WHERE key = 'scrub' AND value = :value;

-- name: begin_merge
INSERT INTO search_index (search_index, rank) VALUES ('merge', -:pages);

-- name: merge
INSERT INTO search_index (search_index, rank) VALUES ('merge', :pages);

-- name: rebuild
INSERT INTO search_index (search_index) VALUES ('rebuild');
