-- name: hold_model
-- A document stored by one process, while another makes it wait for a vector of another model, would
-- not wait any more.
SELECT value FROM settings WHERE key = 'embedding_model' FOR SHARE;
