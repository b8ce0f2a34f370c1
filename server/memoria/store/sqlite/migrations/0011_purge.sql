-- What counted for a day at most and was archived: a night looks for those it may erase.
CREATE INDEX memories_spent ON memories (tenant_id, expires_at)
WHERE validity = 'archived' AND expires_at - created_at <= 86400000;
