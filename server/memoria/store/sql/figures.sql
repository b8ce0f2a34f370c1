-- Figures of a whole home. They count, and name no tenant and nothing that was said.

-- name: tenants
SELECT count(*) FROM tenants;

-- name: backlog
SELECT CAST(coalesce(sum(CASE WHEN attempts < :attempts THEN 1 ELSE 0 END), 0) AS BIGINT) AS pending,
       CAST(coalesce(sum(CASE WHEN attempts < :attempts THEN 0 ELSE 1 END), 0) AS BIGINT) AS failed
FROM embedding_backlog;

-- name: queue
SELECT state, count(*) AS total FROM extraction_queue GROUP BY state;

-- name: oldest_waiting
SELECT min(created_at) FROM extraction_queue WHERE state = 'waiting';

-- name: calls
-- Of a call under way only the bound is known; it is counted when it has ended.
SELECT outcome, count(*) AS calls, CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input_tokens,
       CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens
FROM model_calls WHERE outcome <> 'open' GROUP BY outcome;

-- name: nights
-- Tenants by the state of their last run.
SELECT state, count(*) AS total
FROM nightly_runs WHERE n IN (SELECT max(n) FROM nightly_runs GROUP BY tenant_id)
GROUP BY state;

-- name: finished
-- When the tenants' last finished runs began: the newest, and since when the tenant waits who waits
-- longest: for who had none, since the first word.
SELECT max(last) AS newest, min(coalesce(last, t.created_at)) AS oldest
FROM tenants t LEFT JOIN (
    SELECT tenant_id, max(at) AS last FROM nightly_runs WHERE state = 'finished' GROUP BY tenant_id
) AS runs ON runs.tenant_id = t.id;

-- name: forgets
SELECT count(*) AS hidden,
       CAST(coalesce(sum(CASE WHEN purge_at <= :now THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue
FROM forget_reports WHERE state = 'hidden';
