-- name: turns
-- Attachments are left out: they are found by their own words alone, and lend none to neighbours.
SELECT t.n, t.session_n, t.turn_index, t.at, t.role, t.speaker,
       d.current, d.suppressed OR d.processed, d.changed
FROM {numbers :ns} listed
CROSS JOIN turns t ON t.n = listed.value AND +t.tenant_id = :tenant
CROSS JOIN documents d ON d.n = t.n
WHERE t.attached_to IS NULL;

-- name: spans
-- As `turns`, for all turns of spans, each given as [session, first place, last place].
WITH span (session_n, first_index, last_index) AS MATERIALIZED (
    SELECT CAST(listed.value ->> 0 AS BIGINT), CAST(listed.value ->> 1 AS BIGINT),
           CAST(listed.value ->> 2 AS BIGINT)
    FROM {lists :spans} listed)
SELECT t.n, t.session_n, t.turn_index, t.at, t.role, t.speaker,
       d.current, d.suppressed OR d.processed, d.changed
FROM span
CROSS JOIN turns t ON t.session_n = span.session_n AND +t.tenant_id = :tenant
                  AND t.turn_index BETWEEN span.first_index AND span.last_index
CROSS JOIN documents d ON d.n = t.n
WHERE t.attached_to IS NULL;
