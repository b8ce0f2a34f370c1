-- Whether a document `d` of one of the kinds is seen from a place.
(d.kind IN (SELECT value FROM {texts :kinds})
  AND (:history OR d.current)
  AND (d.workspace_n IS NULL OR d.workspace_n = :place OR (
            :everywhere AND d.workspace_n NOT IN (SELECT value FROM {numbers :private})))
  AND (:include_processed AND d.kind = 'turn' OR NOT (d.suppressed OR d.processed)))
