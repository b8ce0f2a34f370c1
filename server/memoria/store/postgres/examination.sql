-- name: documents_of
SELECT n, tenant_id, kind, workspace_n, current, suppressed, processed FROM documents
WHERE tenant_id = :tenant AND n > :after
ORDER BY n
LIMIT :limit;
