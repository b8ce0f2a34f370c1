-- name: version
-- What other connections commit changes it for this one.
SELECT data_version FROM pragma_data_version;
