-- True if a document `d` is seen from a workspace, or from everywhere unless it is of a private one.
(d.workspace_n IS NULL OR d.workspace_n = :workspace
 OR (:everywhere AND d.workspace_n NOT IN (SELECT value FROM {numbers :private})))
