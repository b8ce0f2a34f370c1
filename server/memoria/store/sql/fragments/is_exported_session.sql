-- True if a row `s` of sessions is exported: one of its turns is.
(:whole OR EXISTS (SELECT 1 FROM turns t WHERE t.session_n = s.n AND {is_exported_turn}))
