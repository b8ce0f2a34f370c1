-- name: settings
SELECT k, v FROM search_index_config WHERE k IN ('automerge', 'crisismerge');

-- name: structure
-- Row 10 says which segments there are.
SELECT block FROM search_index_data WHERE id = 10;

-- name: pages
SELECT count(i.segid) AS pages
FROM {numbers :segments} w LEFT JOIN search_index_idx i ON i.segid = w.value
GROUP BY w.value;

-- name: tell
INSERT INTO search_index (search_index, rank) VALUES (:name, :value);
