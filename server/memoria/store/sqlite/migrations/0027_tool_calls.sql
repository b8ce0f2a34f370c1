-- What recorded tool calls were, by what they are looked up: commands, errors and files, a row each.
--
-- All follows from the turn's text, and goes with the turn. `key` is what repetitions share: of a file
-- its bare name in small letters. `detail` is the command or the path as it was given; of a rename
-- both paths, with a line break between them. `pending` marks a turn at which nobody has looked yet.
CREATE TABLE tool_calls (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    kind      TEXT NOT NULL CHECK (kind IN ('command', 'error', 'file', 'rename', 'pending')),
    key       TEXT NOT NULL,
    turn_n    INTEGER NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
    detail    TEXT NOT NULL,
    outcome   TEXT NOT NULL CHECK (outcome IN ('failed', 'worked', 'unknown')),
    is_edit   INTEGER NOT NULL CHECK (is_edit IN (0, 1)),
    PRIMARY KEY (tenant_id, kind, key, turn_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_calls_by_turn ON tool_calls (turn_n);

INSERT INTO tool_calls (tenant_id, kind, key, turn_n, detail, outcome, is_edit)
SELECT tenant_id, 'pending', '', n, '', 'unknown', 0 FROM turns
WHERE args_hash IS NOT NULL OR (role = 'tool' AND result_hash IS NOT NULL);
