-- name: add
INSERT INTO model_calls (tenant_id, at, purpose, prompt, model, input_tokens, output_tokens,
                         duration_ms, outcome, detail)
VALUES (:tenant, :at, :purpose, :prompt, :model, :input_tokens, :output_tokens,
        :duration_ms, :outcome, :detail);

-- name: settle
UPDATE model_calls
SET input_tokens = :input_tokens, output_tokens = :output_tokens, duration_ms = :duration_ms,
    outcome = :outcome, detail = :detail
WHERE n = :n AND tenant_id = :tenant;

-- name: spent
SELECT count(*) AS calls, CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input_tokens,
       CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens
FROM model_calls WHERE tenant_id = :tenant AND at >= :since AND at < :until;

-- name: days
SELECT at / 86400000 * 86400000 AS day, model, count(*) AS calls,
       CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input_tokens,
       CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens
FROM model_calls WHERE tenant_id = :tenant AND at >= :since
GROUP BY at / 86400000, model ORDER BY at / 86400000 DESC, model;

-- name: reading
-- Four bytes of UTF-8 are about one token, in English and in Chinese.
SELECT (SELECT count(*) FROM model_calls WHERE tenant_id = :tenant AND at >= :since) AS calls,
       (SELECT CAST(coalesce(sum(input_tokens), 0) AS BIGINT) FROM model_calls
        WHERE tenant_id = :tenant AND at >= :since) AS input_tokens,
       (SELECT CAST(coalesce(sum(output_tokens), 0) AS BIGINT) FROM model_calls
        WHERE tenant_id = :tenant AND at >= :since) AS output_tokens,
       CAST(coalesce(sum(size), 0) AS BIGINT) / 4 AS conversation_tokens
FROM (SELECT DISTINCT t.n, c.size
      FROM extraction_queue q
      JOIN turns t ON t.session_n = q.session_n
                   AND t.turn_index BETWEEN q.first_index AND q.last_index
      LEFT JOIN raw_chunks c ON c.tenant_id = t.tenant_id AND c.hash = t.content_hash
      WHERE q.tenant_id = :tenant AND q.kind = 'extract' AND q.state = 'done'
        AND q.finished_at >= :since AND t.role IN ('user', 'assistant'));

-- name: last
SELECT at, purpose, prompt, model, input_tokens, output_tokens, duration_ms, outcome, detail
FROM model_calls WHERE tenant_id = :tenant ORDER BY at DESC, n DESC LIMIT 1;
