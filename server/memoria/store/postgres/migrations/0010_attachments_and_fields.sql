-- What a caller gives with a turn or a memory, and the fields of an episode: an object in JSON of texts,
-- numbers, truths and lists of texts by their names. NULL for none.
ALTER TABLE turns ADD COLUMN metadata TEXT COLLATE "C";
ALTER TABLE memories ADD COLUMN metadata TEXT COLLATE "C";
SELECT watch_rows('journal_change', 'memoria.run', ARRAY['memories']);
SELECT watch_rows('hide_change', 'memoria.report', ARRAY['memories', 'turns']);
