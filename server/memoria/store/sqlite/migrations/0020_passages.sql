-- What the parts of a long turn mean, beside the turn's own vector and gone with it. A row a turn: of
-- each passage the signs of its vector, and a record of where it stands and the vector in bytes.
CREATE TABLE passages (
    model_n    INTEGER NOT NULL,
    document_n INTEGER NOT NULL,
    signs      BLOB NOT NULL,
    records    BLOB NOT NULL,
    PRIMARY KEY (model_n, document_n),
    FOREIGN KEY (model_n, document_n) REFERENCES embeddings (model_n, document_n) ON DELETE CASCADE
) STRICT;
CREATE INDEX passages_by_document ON passages (document_n);

-- Whether a document is to be embedded once more while the vector it has serves on. Such ones wait
-- behind all that have none.
ALTER TABLE embedding_backlog ADD COLUMN has_vector INTEGER NOT NULL DEFAULT 0
    CHECK (has_vector IN (0, 1));
DROP INDEX embedding_backlog_of_tenant;
CREATE INDEX embedding_backlog_of_tenant ON embedding_backlog (tenant_id, has_vector, document_n);

-- Turns that may be long enough for passages: 150 Chinese characters are 450 bytes.
INSERT INTO embedding_backlog (document_n, tenant_id, has_vector)
SELECT t.n, t.tenant_id, 1
FROM turns t JOIN documents d ON d.n = t.n AND d.current
WHERE EXISTS (SELECT 1 FROM embeddings e WHERE e.document_n = t.n)
  AND (SELECT coalesce(sum(size), 0)
       FROM (SELECT size FROM raw_chunks
             WHERE tenant_id = t.tenant_id AND hash IN (t.content_hash, t.args_hash, t.result_hash)
             UNION ALL
             SELECT size FROM packed_texts
             WHERE tenant_id = t.tenant_id AND hash IN (t.content_hash, t.args_hash, t.result_hash)
            )) > 450
ON CONFLICT DO NOTHING;

-- Answers cite the end of an id.
CREATE INDEX turns_by_short_id ON turns (substr(id, -8));
CREATE INDEX memories_by_short_id ON memories (substr(id, -8));
