-- A row for each tenant, so that none waits for another; the first word is the time of the first
-- erasure that is not wiped yet.
INSERT INTO settings AS s (key, value)
VALUES ('scrub ' || CAST(:tenant AS TEXT),
        CAST(extract(EPOCH FROM now()) * 1000 AS BIGINT) || ' ' || gen_random_uuid())
ON CONFLICT (key) DO UPDATE
SET value = split_part(s.value, ' ', 1) || ' ' || gen_random_uuid()
