-- Whether a model or an agent has read the turn and no memory speaks for it: it is not read again, and
-- found as before.
ALTER TABLE turns ADD COLUMN passed_over INTEGER NOT NULL DEFAULT 0 CHECK (passed_over IN (0, 1));
