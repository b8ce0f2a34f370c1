-- Rows `v` of memory_versions, each with the turn from which it was concluded.
v.memory_n, v.n, v.version, v.content, v.valid_from, v.valid_to, v.ingested_at,
v.source_kind, v.trust, v.channel, v.client, s.session_id, t.message_id, t.id AS turn_id,
t.turn_index, v.quote, v.inferred_by, v.event_at, v.event_expression, t.utc_offset
FROM memory_versions v
LEFT JOIN turns t ON t.n = v.turn_n
LEFT JOIN sessions s ON s.n = t.session_n
