-- A row that is deleted from here leaves the file when no snapshot is left that may see what was
-- deleted before it: then tables that are written anew keep nothing of that.
CREATE UNLOGGED TABLE erasure_probe (n BIGINT PRIMARY KEY);
