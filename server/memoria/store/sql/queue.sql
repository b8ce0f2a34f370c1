-- A moment further ahead than the longest pause was written while the clock was wrong, and counts as
-- past.

-- name: add
INSERT INTO extraction_queue (id, tenant_id, kind, session_n, first_index, last_index, newest_n,
                              priority, reason, created_at, not_before)
SELECT :id, :tenant, :kind, :session_n, :first_index, :last_index, max(n), :priority, :reason,
       :created_at, :not_before
FROM turns
WHERE session_n = :session_n AND +tenant_id = :tenant
  AND turn_index BETWEEN :first_index AND :last_index
  AND NOT EXISTS (SELECT 1 FROM sessions s JOIN workspaces w ON w.n = s.workspace_n
                  WHERE s.n = :session_n AND +s.tenant_id = :tenant
                    AND w.name IN (SELECT value FROM {texts :private}))
HAVING count(*) > 0
ON CONFLICT (session_n, kind, first_index, last_index, newest_n) DO NOTHING;

-- name: entries
SELECT q.id, q.kind, s.session_id, q.first_index, q.last_index, q.priority, q.reason, q.state,
       q.attempts, q.not_before, q.lease_until AS leased_until, q.created_at, q.finished_at,
       q.last_error, q.outcome
FROM extraction_queue q JOIN sessions s ON s.n = q.session_n
WHERE q.tenant_id = :tenant AND (:state IS NULL OR q.state = :state)
  AND (CAST(:after AS TEXT) IS NULL OR (q.state <> 'waiting', q.priority, q.n) > (
      SELECT o.state <> 'waiting', o.priority, o.n
      FROM extraction_queue o WHERE o.id = :after AND +o.tenant_id = :tenant))
ORDER BY q.state <> 'waiting', q.priority, q.n
LIMIT :limit;

-- name: entry
SELECT q.id, q.kind, s.session_id, q.first_index, q.last_index, q.priority, q.reason, q.state,
       q.attempts, q.not_before, q.lease_until AS leased_until, q.created_at, q.finished_at,
       q.last_error, q.outcome
FROM extraction_queue q JOIN sessions s ON s.n = q.session_n
WHERE +q.tenant_id = :tenant AND q.id = :id;

-- name: over_turns
SELECT t.n, q.state, q.last_error
FROM {numbers :ns} wanted
CROSS JOIN turns t ON t.n = wanted.value AND +t.tenant_id = :tenant
CROSS JOIN extraction_queue q ON q.n = (
    SELECT max(o.n) FROM extraction_queue o
    WHERE o.session_n = t.session_n AND o.kind = 'extract'
      AND t.turn_index BETWEEN o.first_index AND o.last_index);

-- name: counts
SELECT state, count(*) AS total, min(created_at) AS oldest
FROM extraction_queue WHERE tenant_id = :tenant GROUP BY state;

-- name: has_done
SELECT EXISTS (SELECT 1 FROM extraction_queue WHERE tenant_id = :tenant AND state = 'done');

-- name: last_error
SELECT last_error FROM extraction_queue
WHERE tenant_id = :tenant AND last_error IS NOT NULL AND state IN ('waiting', 'dead')
ORDER BY n DESC LIMIT 1;

-- name: widen
-- Only an entry that waits for a pause of its session: nobody has tried it yet. One that would become
-- the same as another stays as it is.
UPDATE extraction_queue AS q
SET last_index = :turn_index, newest_n = {greatest}(q.newest_n, x.newest_n),
    priority = {least}(q.priority, :priority),
    not_before = {least}(:not_before, q.created_at + :longest)
FROM (SELECT max(n) AS newest_n FROM turns
      WHERE session_n = :session_n AND turn_index = :turn_index) AS x
WHERE q.session_n = :session_n AND +q.tenant_id = :tenant AND q.kind = 'extract'
  AND q.state = 'waiting' AND q.lease_owner IS NULL AND q.attempts = 0 AND q.not_before > 0
  AND q.last_index = :turn_index - 1 AND q.priority < :left_over AND x.newest_n IS NOT NULL
  AND NOT EXISTS (
      SELECT 1 FROM extraction_queue o
      WHERE o.session_n = q.session_n AND o.kind = q.kind AND o.first_index = q.first_index
        AND {greatest}(o.newest_n, x.newest_n) = {greatest}(q.newest_n, x.newest_n)
        AND (o.last_index = :turn_index AND o.newest_n >= x.newest_n
             OR o.last_index = q.last_index AND o.n < q.n AND o.state = 'waiting'
                AND o.lease_owner IS NULL AND o.attempts = 0));

-- name: resting
-- Closed segments that wait for more of their workspace to be read with: nobody has tried them.
SELECT q.session_n, q.first_index, q.last_index
FROM extraction_queue q JOIN sessions s ON s.n = q.session_n
JOIN sessions asked ON asked.n = :session_n AND +asked.tenant_id = :tenant
WHERE q.tenant_id = :tenant AND q.state = 'waiting' AND q.kind = 'extract'
  AND q.priority = :left_over AND q.lease_owner IS NULL AND q.attempts = 0
  AND q.last_error IS NULL AND q.not_before > :now
  AND s.workspace_n {is} asked.workspace_n
ORDER BY q.n;

-- name: rouse
-- What waits for a pause or for company is read now, with its summary; what waits because it failed
-- is not, nor the summary of a message that was edited.
UPDATE extraction_queue SET not_before = 0
WHERE tenant_id = (SELECT id FROM tenants WHERE name = :of) AND state = 'waiting'
  AND lease_owner IS NULL AND attempts = 0 AND last_error IS NULL AND not_before > :now
  AND (kind = 'extract' OR EXISTS (
      SELECT 1 FROM extraction_queue o
      WHERE o.session_n = extraction_queue.session_n AND o.kind = 'extract' AND o.state = 'waiting'
        AND o.attempts = 0 AND o.first_index >= extraction_queue.first_index
        AND o.last_index <= extraction_queue.last_index))
  AND (:n IS NULL OR session_n IN (
      SELECT qs.n
      FROM extraction_queue f
      JOIN sessions fs ON fs.n = f.session_n
      JOIN extraction_queue q ON q.tenant_id = f.tenant_id AND q.state = 'waiting'
      JOIN sessions qs ON qs.n = q.session_n AND qs.workspace_n {is} fs.workspace_n
      WHERE f.n = :n));

-- name: absorb
-- It is taken out and not finished: the segment's own entry may have the very same turns.
DELETE FROM extraction_queue
WHERE session_n = :session_n AND +tenant_id = :tenant AND kind = 'extract' AND state = 'waiting'
  AND lease_owner IS NULL AND attempts = 0
  AND first_index >= :first_index AND last_index <= :last_index;

-- name: find_summary
SELECT n FROM extraction_queue
WHERE session_n = :session_n AND +tenant_id = :tenant AND kind = 'episode' AND state = 'waiting'
  AND lease_owner IS NULL AND attempts = 0 AND not_before <= :now
  AND first_index = :first_index AND last_index = :last_index
ORDER BY n DESC LIMIT 1;

-- name: finish_summary
UPDATE extraction_queue
SET state = 'done', finished_at = :now, outcome = :outcome
WHERE n = :n AND tenant_id = :tenant AND state = 'waiting' AND lease_owner IS NULL;

-- name: retry
UPDATE extraction_queue
SET state = 'waiting', finished_at = NULL, attempts = 0, not_before = 0, lease_owner = NULL,
    lease_until = 0, last_error = NULL, outcome = NULL
WHERE +tenant_id = :tenant AND id = :id
  AND (state IN ('dead', 'dropped') OR (not_before > 0 AND lease_owner IS NULL));

-- name: drop
UPDATE extraction_queue
SET state = 'dropped', finished_at = :now, lease_owner = NULL, lease_until = 0
WHERE +tenant_id = :tenant AND id = :id AND state IN ('waiting', 'dead');

-- name: finish
UPDATE extraction_queue
SET state = 'done', finished_at = :now, outcome = :outcome, last_error = NULL,
    lease_owner = NULL, lease_until = 0
WHERE n = :n AND tenant_id = :tenant AND state = 'waiting' AND lease_owner = :owner;

-- name: lease
-- One entry a session at a time: what was said first is understood first.
UPDATE extraction_queue
SET lease_owner = :owner, lease_until = :now + :lease, attempts = attempts + 1
WHERE n = ({leasable} LIMIT 1)
RETURNING n, id, kind, session_n, first_index, last_index, reason, attempts,
          (SELECT name FROM tenants WHERE tenants.id = tenant_id) AS tenant;

-- name: lease_along
UPDATE extraction_queue
SET lease_owner = :owner, lease_until = :now + :lease, attempts = attempts + 1
WHERE n = ({leasable_along} LIMIT 1)
RETURNING n, id, kind, session_n, first_index, last_index, reason, attempts,
          (SELECT name FROM tenants WHERE tenants.id = tenant_id) AS tenant;

-- name: renew
UPDATE extraction_queue SET lease_until = :now + :lease
WHERE state = 'waiting' AND lease_owner IN (SELECT value FROM {texts :owners});

-- name: release
UPDATE extraction_queue
SET lease_owner = NULL, lease_until = 0, not_before = :until, last_error = :error,
    attempts = attempts - :forgiven
WHERE n = :n AND state = 'waiting' AND lease_owner = :owner;

-- name: mark_dead
UPDATE extraction_queue
SET state = 'dead', finished_at = :now, last_error = :error, lease_owner = NULL, lease_until = 0
WHERE n = :n AND state = 'waiting' AND lease_owner = :owner;

-- name: in_hand
SELECT EXISTS (SELECT 1 FROM extraction_queue
               WHERE state = 'waiting'
                 AND (not_before <= :now OR not_before > :now + :longest_pause));

-- name: next_due
SELECT min({greatest}(CASE WHEN not_before > :now + :longest_pause THEN 0 ELSE not_before END,
               CASE WHEN lease_until > :now + :longest_lease THEN 0 ELSE lease_until END)) AS at
FROM extraction_queue WHERE state = 'waiting';
