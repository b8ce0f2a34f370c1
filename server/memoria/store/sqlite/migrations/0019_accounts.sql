-- Whose account of what was said a turn is, where there may be two of them: the client's own
-- transcript, or what an agent reports of the same session. Both are one turn where they say the same;
-- the likeness is a digest of the role and the opening words, by which the other account is found.
ALTER TABLE turns ADD COLUMN account TEXT CHECK (account IN ('client', 'agent'));
ALTER TABLE turns ADD COLUMN likeness BLOB;
CREATE INDEX turns_by_likeness ON turns (session_n, likeness) WHERE likeness IS NOT NULL;

-- How many turns of a session only an agent has reported: where there are none, nobody looks for them.
ALTER TABLE sessions ADD COLUMN agent_turns INTEGER NOT NULL DEFAULT 0;

-- How far the transcript of a client has been taken in. `place` has the rest of what a reader has to
-- know to go on from there, and no words of the conversation.
CREATE TABLE transcripts (
    n          INTEGER PRIMARY KEY,
    tenant_id  INTEGER NOT NULL REFERENCES tenants (id),
    source     TEXT NOT NULL,
    path       TEXT NOT NULL,
    session_id TEXT NOT NULL,
    offset     INTEGER NOT NULL DEFAULT 0,
    place      TEXT NOT NULL DEFAULT '{}',
    touched_at INTEGER NOT NULL,
    UNIQUE (tenant_id, source, path)
) STRICT;
