-- name: mark
-- Each document has the number of the analyser whose words it has: what tenants do in parallel has no
-- order in which one mark could stand. It is before the first document of the oldest analyser.
SELECT CAST(CAST(:form AS BIGINT) AS TEXT) || ':' || coalesce((
    SELECT n - 1 FROM search_index WHERE form < CAST(:form AS BIGINT) ORDER BY form, n LIMIT 1
), 9223372036854775807) AS value;

-- name: set_mark
UPDATE search_index SET form = :form WHERE n > :after AND n <= :last AND form < :form;

-- name: last_of_page
SELECT max(n) FROM (
    SELECT n FROM search_index
    WHERE form = (SELECT min(form) FROM search_index) AND form < :form AND n > :after
    ORDER BY n LIMIT :most) s;

-- name: page
SELECT d.n, d.tenant_id, d.kind, i.words, i.context
FROM documents d JOIN search_index i ON i.n = d.n
WHERE d.n > :after AND d.n <= :last AND i.form < :form
ORDER BY d.n;
