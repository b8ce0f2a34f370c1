-- Events: what has changed in a tenant's memory, by ids alone, for programs that follow it. Triggers
-- write them in the transaction of the change, whoever makes it. `seq` counts each tenant's own.
-- `other` and `code` are an edge's other end and type; `workspace_n` is where what has changed belongs.
CREATE TABLE events (
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    seq         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    type        TEXT NOT NULL CHECK (type IN
                ('NodeCreated', 'EdgeCreated', 'MemoryUpdated', 'WeightUpdated', 'Consolidated',
                 'ConsolidationUndone', 'Archived', 'ConflictDetected', 'Forgotten')),
    kind        TEXT NOT NULL CHECK (kind IN ('memory', 'turn', 'entity', 'edge', 'night')),
    subject     TEXT NOT NULL,
    other       TEXT,
    code        INTEGER,
    workspace_n INTEGER,
    PRIMARY KEY (tenant_id, seq)
) STRICT, WITHOUT ROWID;

-- Where events are sent, and the last one that has arrived there. The secret signs what is sent; no
-- backup and no export has a row of this table.
CREATE TABLE webhooks (
    n            INTEGER PRIMARY KEY,
    tenant_id    INTEGER NOT NULL REFERENCES tenants (id),
    id           TEXT NOT NULL,
    url          TEXT NOT NULL,
    secret       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    sent_seq     INTEGER NOT NULL,
    sent_at      INTEGER NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    not_before   INTEGER NOT NULL DEFAULT 0,
    delivered_at INTEGER,
    last_error   TEXT,
    UNIQUE (tenant_id, id)
) STRICT;

-- What is inserted here gets its number and its time. A number is given once: the newest event stays.
CREATE VIEW new_events (tenant_id, type, kind, subject, other, code, workspace_n) AS
SELECT tenant_id, type, kind, subject, other, code, workspace_n FROM events;
CREATE TRIGGER events_get_their_numbers INSTEAD OF INSERT ON new_events
BEGIN
    INSERT INTO events (tenant_id, seq, at, type, kind, subject, other, code, workspace_n)
    SELECT NEW.tenant_id,
           1 + coalesce((SELECT max(seq) FROM events WHERE tenant_id = NEW.tenant_id), 0),
           CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
           NEW.type, NEW.kind, NEW.subject, NEW.other, NEW.code, NEW.workspace_n;
END;

-- Each event is kept for a week (604800000 ms), and longer where nothing happens.
CREATE TRIGGER events_leave_after_a_week AFTER INSERT ON events
WHEN NEW.seq % 64 = 0
 AND (SELECT at FROM events WHERE tenant_id = NEW.tenant_id ORDER BY seq LIMIT 1)
     < NEW.at - 604800000
BEGIN
    DELETE FROM events
    WHERE tenant_id = NEW.tenant_id AND at < NEW.at - 604800000
      AND seq IN (SELECT seq FROM events WHERE tenant_id = NEW.tenant_id ORDER BY seq LIMIT 256);
END;

CREATE TRIGGER memories_tell_that_they_are_new AFTER INSERT ON memories
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    VALUES (NEW.tenant_id, 'NodeCreated', 'memory', NEW.id, NEW.workspace_n);
END;
CREATE TRIGGER memories_tell_of_changes AFTER UPDATE OF
    type, validity, pinned, verified, scope, workspace_n, subject, predicate, task, expires_at, flag
ON memories
WHEN OLD.validity <> NEW.validity OR OLD.pinned <> NEW.pinned OR OLD.verified <> NEW.verified
  OR OLD.type <> NEW.type OR OLD.scope <> NEW.scope OR OLD.workspace_n IS NOT NEW.workspace_n
  OR OLD.subject IS NOT NEW.subject OR OLD.predicate IS NOT NEW.predicate
  OR OLD.task IS NOT NEW.task OR OLD.expires_at IS NOT NEW.expires_at OR OLD.flag IS NOT NEW.flag
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    VALUES (NEW.tenant_id,
            CASE WHEN NEW.validity = 'archived' AND OLD.validity <> 'archived'
                 THEN 'Archived' ELSE 'MemoryUpdated' END,
            'memory', NEW.id, NEW.workspace_n);
END;
CREATE TRIGGER memories_tell_of_their_weight AFTER UPDATE OF
    importance, confidence, tier, upvotes, downvotes
ON memories
WHEN OLD.importance <> NEW.importance OR OLD.confidence <> NEW.confidence OR OLD.tier <> NEW.tier
  OR OLD.upvotes <> NEW.upvotes OR OLD.downvotes <> NEW.downvotes
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    VALUES (NEW.tenant_id, 'WeightUpdated', 'memory', NEW.id, NEW.workspace_n);
END;
CREATE TRIGGER wordings_tell_that_they_are_new AFTER INSERT ON memory_versions WHEN NEW.version <> 1
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    SELECT NEW.tenant_id, 'MemoryUpdated', 'memory', id, workspace_n
    FROM memories WHERE n = NEW.memory_n;
END;
CREATE TRIGGER memories_tell_that_they_go AFTER DELETE ON memories
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    VALUES (OLD.tenant_id, 'Forgotten', 'memory', OLD.id, OLD.workspace_n);
END;
CREATE TRIGGER turns_tell_that_they_are_new AFTER INSERT ON turns
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    VALUES (NEW.tenant_id, 'NodeCreated', 'turn', NEW.id,
            (SELECT workspace_n FROM sessions WHERE n = NEW.session_n));
END;
CREATE TRIGGER turns_tell_that_they_go AFTER DELETE ON turns
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, workspace_n)
    VALUES (OLD.tenant_id, 'Forgotten', 'turn', OLD.id,
            (SELECT workspace_n FROM sessions WHERE n = OLD.session_n));
END;
CREATE TRIGGER entities_tell_that_they_are_new AFTER INSERT ON entities
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject)
    VALUES (NEW.tenant_id, 'NodeCreated', 'entity', NEW.id);
END;
CREATE TRIGGER entities_tell_that_they_go AFTER DELETE ON entities
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject)
    VALUES (OLD.tenant_id, 'Forgotten', 'entity', OLD.id);
END;

-- Code 7 is CONTRADICTS. An edge from a memory or a turn belongs where that does. An end without an id is
-- none yet: an undo puts back what an edge joins after the edge.
CREATE TRIGGER edges_tell_that_they_are_new AFTER INSERT ON edges
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject, other, code, workspace_n)
    SELECT NEW.tenant_id, CASE NEW.code WHEN 7 THEN 'ConflictDetected' ELSE 'EdgeCreated' END, 'edge',
           coalesce(sm.id, st.id, se.id), coalesce(dm.id, dt.id, de.id), NEW.code,
           coalesce(sm.workspace_n, (SELECT workspace_n FROM sessions WHERE n = st.session_n))
    FROM nodes s
    LEFT JOIN memories sm ON sm.n = s.memory_n
    LEFT JOIN turns st ON st.n = s.turn_n
    LEFT JOIN entities se ON se.n = s.n
    JOIN nodes d ON d.n = NEW.dst_n
    LEFT JOIN memories dm ON dm.n = d.memory_n
    LEFT JOIN turns dt ON dt.n = d.turn_n
    LEFT JOIN entities de ON de.n = d.n
    WHERE s.n = NEW.src_n AND coalesce(sm.id, st.id, se.id) IS NOT NULL
      AND coalesce(dm.id, dt.id, de.id) IS NOT NULL;
END;
CREATE TRIGGER nights_tell_what_came_of_them AFTER UPDATE OF state ON nightly_runs
WHEN OLD.state <> NEW.state AND NEW.state IN ('finished', 'stopped', 'undone')
BEGIN
    INSERT INTO new_events (tenant_id, type, kind, subject)
    VALUES (NEW.tenant_id,
            CASE NEW.state WHEN 'undone' THEN 'ConsolidationUndone' ELSE 'Consolidated' END,
            'night', NEW.id);
END;
