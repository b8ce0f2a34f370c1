-- A step of a recursive query from a row `l`: to the memory that a superseded memory `m` was merged
-- into, or to the memory that took its place (`t`). PostgreSQL lets a recursive query name itself once,
-- so both ways are one query.
FROM led l
CROSS JOIN (SELECT FALSE AS is_next UNION ALL SELECT TRUE) way ON TRUE
CROSS JOIN memories m ON m.n = l.n AND m.validity = 'superseded'
LEFT JOIN nodes s ON way.is_next AND s.memory_n = m.n
LEFT JOIN edges e ON e.src_n = s.n AND e.code = {VERSION_NEXT}
LEFT JOIN nodes t ON t.n = e.dst_n
WHERE CASE WHEN way.is_next THEN t.memory_n ELSE m.merged_into END IS NOT NULL
