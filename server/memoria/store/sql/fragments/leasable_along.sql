-- More that nobody has tried yet, of the same workspace, however urgent. Of a session no segment is read before an
-- earlier one, which may be among those leased here; and no turn is read twice in one request, as an
-- edited one would be, whose conversation waits too.
SELECT q.n
FROM extraction_queue f
JOIN sessions fs ON fs.n = f.session_n
JOIN extraction_queue q ON q.tenant_id = f.tenant_id AND q.state = 'waiting'
JOIN sessions qs ON qs.n = q.session_n AND qs.workspace_n {is} fs.workspace_n
WHERE f.n = :n AND q.kind = 'extract' AND q.attempts = 0
  AND (q.not_before <= :now OR q.not_before > :now + :longest_pause)
  AND q.last_index - q.first_index < :most AND q.lease_owner {is_not} :owner
  AND NOT EXISTS (
      SELECT 1 FROM extraction_queue o
      WHERE o.session_n = q.session_n AND o.state = 'waiting'
        AND (o.lease_owner {is_not} :owner
             AND (o.lease_until > :now AND o.lease_until <= :now + :longest_lease
                  OR o.kind = 'extract' AND o.first_index < q.first_index)
             OR o.lease_owner {is} :owner
             AND o.first_index <= q.last_index AND o.last_index >= q.first_index))
ORDER BY q.n
