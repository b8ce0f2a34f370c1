SELECT q.n FROM extraction_queue q
WHERE q.state = 'waiting'
  AND (q.not_before <= :now OR q.not_before > :now + :longest_pause)
  AND (:of IS NULL OR q.tenant_id = (SELECT id FROM tenants WHERE name = :of))
  AND NOT EXISTS (
      SELECT 1 FROM extraction_queue o
      WHERE o.session_n = q.session_n AND o.state = 'waiting'
        AND o.lease_until > :now AND o.lease_until <= :now + :longest_lease)
ORDER BY q.priority, q.n
