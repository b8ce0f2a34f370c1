-- True if a row `t` of turns is exported, by itself or because an exported memory rests on the turn.
(:whole
 OR t.at >= coalesce(:since, -9223372036854775807) AND t.at < coalesce(:until, 9223372036854775807)
    AND (:workspace IS NULL OR EXISTS (SELECT 1 FROM sessions y
                                       WHERE y.n = t.session_n AND y.workspace_n = :workspace))
 OR EXISTS (SELECT 1 FROM memory_versions z JOIN memories m ON m.n = z.memory_n
            WHERE z.turn_n = t.n AND {is_exported_memory})
 OR EXISTS (SELECT 1 FROM memory_evidence z JOIN memories m ON m.n = z.memory_n
            WHERE z.turn_n = t.n AND {is_exported_memory})
 OR EXISTS (SELECT 1 FROM episodes z JOIN memories m ON m.n = z.memory_n
            WHERE z.session_n = t.session_n AND t.turn_index BETWEEN z.first_index AND z.last_index
              AND {is_exported_memory}))
