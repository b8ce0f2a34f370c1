-- The version of the wording that a row `e` of memory_evidence bears out: the one that held when it was
-- noted. The oldest stands in where all were written later, as evidence taken over from another
-- memory may have it in a home of before.
(SELECT coalesce(max(w.version) FILTER (WHERE w.ingested_at <= e.ingested_at), min(w.version))
 FROM memory_versions w WHERE w.memory_n = e.memory_n)
