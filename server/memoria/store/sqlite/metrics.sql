-- name: index_segments
-- Of everybody's text: it is one index.
SELECT count(DISTINCT segid) FROM search_index_idx;
