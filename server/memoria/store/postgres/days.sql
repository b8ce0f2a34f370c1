-- name: forget_images
UPDATE nightly_changes SET image = '{}'
WHERE tbl = 'generated_files' AND key = write_list(jsonb_build_array(:tenant, :path));
