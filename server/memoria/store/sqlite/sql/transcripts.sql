-- name: place
SELECT source, path, session_id, offset, place, touched_at FROM transcripts
WHERE tenant_id = :tenant AND source = :source AND path = :path;

-- name: note
INSERT INTO transcripts (tenant_id, source, path, session_id, offset, place, touched_at)
VALUES (:tenant, :source, :path, :session_id, :offset, :place, :touched_at)
ON CONFLICT (tenant_id, source, path) DO UPDATE
SET session_id = excluded.session_id, offset = excluded.offset, place = excluded.place,
    touched_at = excluded.touched_at;
