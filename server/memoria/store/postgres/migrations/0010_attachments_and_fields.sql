-- What a caller gives with a turn or a memory, and the fields of an episode: an object in JSON of texts,
-- numbers, truths and lists of texts by their names. NULL for none.
ALTER TABLE turns ADD COLUMN metadata TEXT COLLATE "C";
ALTER TABLE memories ADD COLUMN metadata TEXT COLLATE "C";

-- Files that were sent in messages. Each is a turn behind its message, `attached_to`, with its bytes
-- in `raw_chunks`: the same bytes lie there once. A text file has none beside its text.
ALTER TABLE turns ADD COLUMN file_hash BYTEA;
ALTER TABLE turns ADD COLUMN attached_to BIGINT REFERENCES turns (n);
CREATE INDEX attached_turns ON turns (attached_to) WHERE attached_to IS NOT NULL;

-- Of a file, whose bytes are hidden, the text is empty.
ALTER TABLE hidden_texts ADD COLUMN data BYTEA;

SELECT watch_rows('journal_change', 'memoria.run', ARRAY['memories']);
SELECT watch_rows('hide_change', 'memoria.report', ARRAY['memories', 'turns']);
