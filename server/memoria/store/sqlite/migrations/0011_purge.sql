-- Whether what stood before a night is kept, so that the night can be undone.
ALTER TABLE night_runs ADD COLUMN undoable INTEGER NOT NULL DEFAULT 1 CHECK (undoable IN (0, 1));
-- What counted for a day at most and was archived: a night looks for those it may erase.
CREATE INDEX memories_spent ON memories (tenant_id, expires_at)
WHERE validity = 'archived' AND expires_at - created_at <= 86400000;
