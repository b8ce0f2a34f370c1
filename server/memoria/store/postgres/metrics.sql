-- name: index_segments
-- An index of postings is one.
SELECT 1;
