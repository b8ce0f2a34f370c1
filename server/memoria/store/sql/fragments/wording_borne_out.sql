-- The version of the wording that a row `e` of memory_evidence bears out: the wording that held when
-- the evidence was noted, or else the oldest wording.
(SELECT coalesce(max(w.version) FILTER (WHERE w.ingested_at <= e.ingested_at), min(w.version))
 FROM memory_versions w WHERE w.memory_n = e.memory_n)
