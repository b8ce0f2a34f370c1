-- How many minutes the clock of whoever said a turn was ahead of UTC: whose day it was said on.
-- NULL where the turn was given without an offset; `at` stays UTC.
ALTER TABLE turns ADD COLUMN utc_offset INTEGER CHECK (utc_offset BETWEEN -1439 AND 1439);
