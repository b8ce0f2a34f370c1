-- The ends of a row `e` of edges, by what they are known by in any home.
(SELECT CASE WHEN o.memory_n IS NOT NULL
             THEN 'memory:' || (SELECT id FROM memories WHERE n = o.memory_n)
             WHEN o.turn_n IS NOT NULL THEN 'turn:' || (SELECT id FROM turns WHERE n = o.turn_n)
             ELSE 'entity:' || (SELECT id FROM entities WHERE n = o.n) END
 FROM nodes o WHERE o.n = e.src_n) AS "from",
(SELECT CASE WHEN o.memory_n IS NOT NULL
             THEN 'memory:' || (SELECT id FROM memories WHERE n = o.memory_n)
             WHEN o.turn_n IS NOT NULL THEN 'turn:' || (SELECT id FROM turns WHERE n = o.turn_n)
             ELSE 'entity:' || (SELECT id FROM entities WHERE n = o.n) END
 FROM nodes o WHERE o.n = e.dst_n) AS "to",
(SELECT id FROM turns WHERE n = e.turn_n) AS turn
