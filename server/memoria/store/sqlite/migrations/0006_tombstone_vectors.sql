-- What was forgotten, as a vector. Kept only where the user has allowed it, for whoever has the file
-- can hold guesses against it. `reach` is the cosine from which a text counts as the same.
CREATE TABLE tombstone_vectors (
    n           INTEGER PRIMARY KEY,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    tombstone_n INTEGER NOT NULL REFERENCES tombstones (n),
    model       TEXT NOT NULL,
    reach       REAL NOT NULL CHECK (reach BETWEEN 0 AND 1),
    vector      BLOB NOT NULL
) STRICT;
CREATE INDEX tombstone_vectors_by_model ON tombstone_vectors (tenant_id, model);
CREATE INDEX tombstone_vectors_by_tombstone ON tombstone_vectors (tombstone_n);
