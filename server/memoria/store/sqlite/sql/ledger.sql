-- Calls to chat models.

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
SELECT count(*) AS calls, coalesce(sum(input_tokens + output_tokens), 0) AS tokens
FROM model_calls WHERE tenant_id = :tenant AND at >= :since AND at < :until;

-- name: last
SELECT at, purpose, prompt, model, input_tokens, output_tokens, duration_ms, outcome, detail
FROM model_calls WHERE tenant_id = :tenant ORDER BY at DESC, n DESC LIMIT 1;
