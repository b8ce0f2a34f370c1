-- Every text lies by itself again. What lay in blocks was taken out of them before
-- (packed_texts.py).
DROP TABLE packed_texts;
DROP TABLE text_blocks;
DROP INDEX sessions_to_pack;
ALTER TABLE sessions DROP COLUMN tier;

-- Edges that were set aside are back, and no undo of a night or of a forget sets them aside again.
DROP TRIGGER memories_bring_their_edges_back;
DROP TRIGGER turns_take_their_words_out_of_pruned_edges;
DROP TRIGGER wordings_take_their_pruned_edges_along;
INSERT OR IGNORE INTO edges
SELECT tenant_id, src_n, code, dst_n, weight, confidence, negated, modality, by_model, created_at,
       power, turn_n, event_at, event_expression
FROM pruned_edges;
DELETE FROM nightly_changes
WHERE tbl = 'edges' AND EXISTS (SELECT 1 FROM nightly_changes p
                                WHERE p.run_n = nightly_changes.run_n AND p.tbl = 'pruned_edges'
                                  AND p.key = nightly_changes.key);
DELETE FROM nightly_changes WHERE tbl = 'pruned_edges';
DELETE FROM nightly_plan WHERE json_type(item, '$.place') = 'array'
                           AND coalesce(json_type(item, '$.heir'), 'null') = 'null';
UPDATE hidden_changes SET tbl = 'edges', image = json_remove(image, '$.reason')
WHERE tbl = 'pruned_edges';
DROP TABLE pruned_edges;
