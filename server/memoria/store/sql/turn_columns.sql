-- name: turns
SELECT t.n, t.session_n, t.turn_index, t.at, t.role, t.speaker,
       d.current, d.suppressed OR d.processed, d.changed
FROM {numbers :ns} listed
CROSS JOIN turns t ON t.n = listed.value AND +t.tenant_id = :tenant
CROSS JOIN documents d ON d.n = t.n;

-- name: spans
-- As `turns`, for all turns of spans, each given as [session, first place, last place].
SELECT t.n, t.session_n, t.turn_index, t.at, t.role, t.speaker,
       d.current, d.suppressed OR d.processed, d.changed
FROM {lists :spans} span
CROSS JOIN turns t ON t.session_n = CAST(span.value ->> 0 AS BIGINT) AND +t.tenant_id = :tenant
                  AND t.turn_index BETWEEN CAST(span.value ->> 1 AS BIGINT)
                                       AND CAST(span.value ->> 2 AS BIGINT)
CROSS JOIN documents d ON d.n = t.n;
