-- name: begin_merge
INSERT INTO search_index (search_index, rank) VALUES ('merge', -:pages);

-- name: merge
INSERT INTO search_index (search_index, rank) VALUES ('merge', :pages);

-- name: rebuild
INSERT INTO search_index (search_index) VALUES ('rebuild');
