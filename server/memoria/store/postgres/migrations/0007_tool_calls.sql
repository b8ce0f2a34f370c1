-- What recorded tool calls were, by what they are looked up: commands, errors and files, a row each.
--
-- All follows from the turn's text, and goes with the turn. `key` is what repetitions share: of a file
-- its bare name in small letters. `detail` is the command or the path as it was given; of a rename
-- both paths, with a line break between them. `pending` marks a turn at which nobody has looked yet.
CREATE TABLE tool_calls (
    tenant_id BIGINT NOT NULL REFERENCES tenants (id),
    kind      TEXT COLLATE "C" NOT NULL
              CHECK (kind IN ('command', 'error', 'file', 'rename', 'pending')),
    key       TEXT COLLATE "C" NOT NULL,
    turn_n    BIGINT NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
    detail    TEXT COLLATE "C" NOT NULL,
    outcome   TEXT COLLATE "C" NOT NULL CHECK (outcome IN ('failed', 'worked', 'unknown')),
    is_edit   BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, kind, key, turn_n)
);
CREATE INDEX tool_calls_by_turn ON tool_calls (turn_n);
CALL separate_tenants();
SELECT watch_rows('hide_change', 'memoria.report', ARRAY['tool_calls']);

INSERT INTO tool_calls (tenant_id, kind, key, turn_n, detail, outcome, is_edit)
SELECT tenant_id, 'pending', '', n, '', 'unknown', FALSE FROM turns
WHERE args_hash IS NOT NULL OR (role = 'tool' AND result_hash IS NOT NULL);
