-- Leases the first of some entries whose session nobody else reads; no row if there is none.
--
-- Whoever leases locks the session first, and then looks again: a function's statements each see what
-- is committed by then. Sessions that another worker locks at this moment are passed over, so that no
-- worker waits for another. A unique index on the sessions of leased entries would not do: one worker
-- may lease several entries of a session, to read them together.
CREATE FUNCTION lease_first(candidates BIGINT[], worker TEXT, at BIGINT, until BIGINT, longest BIGINT)
RETURNS SETOF extraction_queue LANGUAGE plpgsql AS $$
DECLARE
    candidate BIGINT;
BEGIN
    FOREACH candidate IN ARRAY candidates LOOP
        PERFORM 1 FROM extraction_queue q JOIN sessions s ON s.n = q.session_n
        WHERE q.n = candidate
        FOR NO KEY UPDATE OF s SKIP LOCKED;
        IF FOUND THEN
            RETURN QUERY
            UPDATE extraction_queue q
            SET lease_owner = worker, lease_until = until, attempts = q.attempts + 1
            WHERE q.n = candidate AND q.state = 'waiting'
              AND NOT EXISTS (
                  SELECT 1 FROM extraction_queue o
                  WHERE o.session_n = q.session_n AND o.state = 'waiting'
                    AND o.lease_owner IS DISTINCT FROM worker
                    AND o.lease_until > at AND o.lease_until <= at + longest)
            RETURNING q.*;
            IF FOUND THEN
                RETURN;
            END IF;
        END IF;
    END LOOP;
END
$$;
