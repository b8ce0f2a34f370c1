-- True if a row `m` of memories is exported: of the project, and with a wording begun in the time.
(:whole OR (
    (:workspace IS NULL OR m.workspace_n = :workspace)
    AND (:since IS NULL AND :until IS NULL OR EXISTS (
        SELECT 1 FROM memory_versions x
        WHERE x.memory_n = m.n
          AND x.valid_from >= coalesce(:since, -9223372036854775807)
          AND x.valid_from < coalesce(:until, 9223372036854775807)))))
