-- name: get
SELECT session_id, current_focus, updated_at FROM scratchpads
WHERE tenant_id = :tenant AND session_id = :session_id;

-- name: recent
SELECT session_id FROM scratchpads
WHERE tenant_id = :tenant AND (workspace_n IS NULL OR workspace_n = :workspace)
ORDER BY updated_at DESC, session_id LIMIT :limit;

-- name: later_sessions
-- With the first turn of each session's user.
SELECT s.session_id, (
    SELECT t.n FROM turns t JOIN documents d ON d.n = t.n
    WHERE t.session_n = s.n AND t.role = 'user' AND d.current
    ORDER BY t.turn_index, t.version LIMIT 1) AS opening_n
FROM scratchpads p
JOIN sessions s ON s.tenant_id = p.tenant_id AND s.workspace_n {is} p.workspace_n
WHERE p.tenant_id = :tenant AND p.session_id = :session_id
  AND s.first_at > p.updated_at AND s.session_id <> p.session_id
ORDER BY s.first_at DESC, s.n DESC LIMIT :limit;

-- name: in_hand
-- The session's own scratchpad, else the latest that the workspace sees.
SELECT current_focus AS task, updated_at AS noted_at FROM scratchpads
WHERE tenant_id = :tenant
  AND (session_id = :session_id OR workspace_n IS NULL OR workspace_n = :workspace)
ORDER BY session_id {is} :session_id DESC, updated_at DESC, session_id LIMIT 1;

-- name: completed
SELECT task, at FROM completed_tasks
WHERE tenant_id = :tenant AND session_id = :session_id
ORDER BY n DESC;

-- name: put
INSERT INTO scratchpads (tenant_id, session_id, workspace_n, current_focus, updated_at)
VALUES (:tenant, :session_id, :workspace, :focus, :now)
ON CONFLICT (tenant_id, session_id) DO UPDATE
SET current_focus = excluded.current_focus, updated_at = excluded.updated_at,
    workspace_n = coalesce(scratchpads.workspace_n, excluded.workspace_n);

-- name: complete
INSERT INTO completed_tasks (tenant_id, session_id, task, at)
VALUES (:tenant, :session_id, :task, :now);

-- name: trim
DELETE FROM completed_tasks
WHERE tenant_id = :tenant AND session_id = :session_id AND n NOT IN (
    SELECT n FROM completed_tasks WHERE tenant_id = :tenant AND session_id = :session_id
    ORDER BY n DESC LIMIT :keep);

-- name: notes
SELECT NULL AS n, session_id, current_focus AS note FROM scratchpads
WHERE tenant_id = :tenant AND current_focus IS NOT NULL
UNION ALL
SELECT n, session_id, task FROM completed_tasks WHERE tenant_id = :tenant;

-- name: erase_focus
UPDATE scratchpads SET current_focus = NULL WHERE tenant_id = :tenant AND session_id = :session_id;

-- name: erase_task
DELETE FROM completed_tasks WHERE n = :n AND tenant_id = :tenant;
