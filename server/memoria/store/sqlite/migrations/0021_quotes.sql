-- What kind of thing a turn says, as a classifier tells: a wish that is to hold from now on, something
-- else that is stated and lasts, or neither. A mark concludes nothing. None where nobody has looked at
-- the turn; `aside` where somebody has set the quote aside.
ALTER TABLE turns ADD COLUMN mark TEXT CHECK (mark IN ('none', 'statement', 'wish', 'aside'));
CREATE INDEX wishes ON turns (tenant_id, at) WHERE mark = 'wish';
CREATE INDEX unmarked_turns ON turns (tenant_id, n) WHERE mark IS NULL;
