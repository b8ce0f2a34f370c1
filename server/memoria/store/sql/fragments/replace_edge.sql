-- A row of edges takes the place of the one that is there.
ON CONFLICT (src_n, code, dst_n) DO UPDATE
SET tenant_id = excluded.tenant_id, weight = excluded.weight, confidence = excluded.confidence,
    negated = excluded.negated, modality = excluded.modality, by_model = excluded.by_model,
    created_at = excluded.created_at, power = excluded.power, turn_n = excluded.turn_n,
    event_at = excluded.event_at, event_expression = excluded.event_expression
