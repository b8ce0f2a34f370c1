-- name: closed_sessions
SELECT s.n, s.source, s.session_id, s.next_index - 1 AS last_index,
       (SELECT count(*) || ':' || coalesce(max(t.n), 0)
        FROM turns t JOIN documents d ON d.n = t.n
        WHERE t.session_n = s.n AND d.current AND NOT d.suppressed) AS stamp
FROM sessions s
WHERE s.n > :after AND +s.tenant_id = :tenant AND s.last_ingested_at >= :since
  AND NOT EXISTS (SELECT 1 FROM segments x WHERE x.session_n = s.n AND x.closed_at IS NULL)
ORDER BY s.n LIMIT :limit;

-- name: next_turn
SELECT min(at) AS at FROM turns WHERE tenant_id = :tenant AND at >= :at;

-- name: next_wording
SELECT min(ingested_at) AS at FROM memory_versions
WHERE tenant_id = :tenant AND ingested_at >= :at;

-- name: next_began
SELECT min(valid_from) AS at FROM memory_versions WHERE tenant_id = :tenant AND valid_from >= :at;

-- name: next_put_aside
SELECT min(updated_at) AS at FROM memories
WHERE tenant_id = :tenant AND validity = 'archived' AND updated_at >= :at;

-- A turn with a UTC offset is of the day that this clock showed. A clock may be up to a day ahead of
-- UTC or behind, so the index on time is read a day further on both sides.

-- name: sessions
-- The opening turn is the first of a user on the day, or else the first of anybody: forgetting deletes
-- the pages of the days of the turns that it meets, and so each page that quotes one.
WITH said AS (
  SELECT t.n, t.session_n, t.at, t.utc_offset, row_number() OVER (
         PARTITION BY t.session_n ORDER BY t.role <> 'user', t.turn_index, t.version) AS place
  FROM turns t
  JOIN documents d ON d.n = t.n
  WHERE t.tenant_id = :tenant
    AND t.at >= {least}(:begin, :midnight - 86400000) AND t.at < {greatest}(:end, :midnight + 2 * 86400000)
    AND CASE WHEN t.utc_offset IS NULL THEN t.at >= :begin AND t.at < :end
             ELSE t.at + t.utc_offset * 60000 - :midnight BETWEEN 0 AND 86399999 END
    AND d.current AND NOT d.suppressed)
SELECT s.source, s.session_id, min(said.at) AS first_at, max(said.at) AS last_at,
       max(said.utc_offset) AS utc_offset, count(*) AS messages,
       max(CASE WHEN said.place = 1 THEN said.n END) AS opening_n
FROM said
JOIN sessions s ON s.n = said.session_n
GROUP BY s.n ORDER BY first_at, s.n;

-- name: episodes
SELECT m.id, v.content
FROM turns t
CROSS JOIN episodes e ON e.session_n = t.session_n AND e.last_index = t.turn_index
CROSS JOIN memories m ON m.n = e.memory_n
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
JOIN documents d ON d.n = t.n
WHERE t.tenant_id = :tenant
  AND t.at >= {least}(:begin, :midnight - 86400000) AND t.at < {greatest}(:end, :midnight + 2 * 86400000)
  AND CASE WHEN t.utc_offset IS NULL THEN t.at >= :begin AND t.at < :end
           ELSE t.at + t.utc_offset * 60000 - :midnight BETWEEN 0 AND 86399999 END
  AND d.current
  AND m.validity IN ('active', 'archived')
ORDER BY t.at, m.n;

-- name: summed_up
SELECT DISTINCT l.at, l.utc_offset
FROM {numbers :ns} wanted
CROSS JOIN turns t ON t.n = wanted.value AND +t.tenant_id = :tenant
CROSS JOIN episodes e ON e.session_n = t.session_n
           AND t.turn_index BETWEEN e.first_index AND e.last_index
CROSS JOIN turns l ON l.session_n = e.session_n AND l.turn_index = e.last_index;

-- name: wordings
-- A wording is of the day on which it was said: the day of its turn or, of a memory of another program,
-- its own date. A wording held until the next wording, or until another memory took its memory's place.
WITH said (n, at) AS (
    SELECT v.n, t.at
    FROM turns t CROSS JOIN memory_versions v ON v.turn_n = t.n
    WHERE t.tenant_id = :tenant
      AND t.at >= {least}(:begin, :midnight - 86400000) AND t.at < {greatest}(:end, :midnight + 2 * 86400000)
      AND CASE WHEN t.utc_offset IS NULL THEN t.at >= :begin AND t.at < :end
               ELSE t.at + t.utc_offset * 60000 - :midnight BETWEEN 0 AND 86399999 END
    UNION ALL
    SELECT n, ingested_at FROM memory_versions
    WHERE tenant_id = :tenant AND ingested_at >= :begin AND ingested_at < :end
      AND turn_n IS NULL AND source_kind <> 'imported'
    UNION ALL
    SELECT n, valid_from FROM memory_versions
    WHERE tenant_id = :tenant AND valid_from >= :begin AND valid_from < :end
      AND turn_n IS NULL AND source_kind = 'imported')
SELECT m.id, v.content, v.version > 1 AS changed,
       coalesce((SELECT coalesce(y.at, x.ingested_at) FROM memory_versions x
                 LEFT JOIN turns y ON y.n = x.turn_n
                 WHERE x.memory_n = m.n AND x.version = v.version + 1),
                CASE WHEN m.validity = 'superseded' AND m.merged_into IS NULL
                     THEN m.updated_at END) AS held_until
FROM said
CROSS JOIN memory_versions v ON v.n = said.n
CROSS JOIN memories m ON m.n = v.memory_n
WHERE m.type NOT IN {conversation_summaries} AND m.validity <> 'pending_confirmation'
ORDER BY said.at, v.n;

-- name: put_aside
SELECT m.id, v.content
FROM memories m
CROSS JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
WHERE m.tenant_id = :tenant AND m.validity = 'archived'
  AND m.updated_at >= :begin AND m.updated_at < :end
ORDER BY m.updated_at, m.n;

-- name: files
SELECT path, digest, stamp, run_n FROM generated_files WHERE tenant_id = :tenant ORDER BY path;

-- name: file
SELECT path, digest, stamp, run_n FROM generated_files WHERE tenant_id = :tenant AND path = :path;

-- name: put_file
INSERT INTO generated_files (tenant_id, path, digest, stamp, run_n)
VALUES (:tenant, :path, :digest, :stamp, :run_n)
ON CONFLICT (tenant_id, path) DO UPDATE
SET digest = excluded.digest, stamp = excluded.stamp, run_n = excluded.run_n;

-- name: drop_file
DELETE FROM generated_files WHERE tenant_id = :tenant AND path = :path;

-- name: forget_images
UPDATE nightly_changes SET image = '{}'
WHERE tbl = 'generated_files' AND key = CAST({json_list}(:tenant, :path) AS TEXT);
