-- name: number
SELECT n FROM workspaces WHERE tenant_id = :tenant AND name = :name;

-- name: add
INSERT INTO workspaces (tenant_id, name) VALUES (:tenant, :name);

-- name: all
SELECT n, name FROM workspaces WHERE tenant_id = :tenant ORDER BY n;
