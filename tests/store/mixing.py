"""Rows that are mixed up, so that statements meet what they seldom meet: NULLs, ties, lost rows."""

from random import Random

from memoria.store.sqlite.driver import SqliteConnection

_FIXED = ("audit_log", "events", "tenants", "settings", "embedding_models")
_CHOICES = (
    "account flag inferred_by kind mark predicate qualifier reason role session_id scope speaker "
    "state subject task tier trust type validity workspace_n"
).split()
_LOST = ("memories", "turns", "nodes", "entities", "entity_names", "name_uses", "core_lines")
_NOTES = (
    "INSERT INTO leases SELECT id, 'night', 'one', 1000 FROM tenants",
    "INSERT INTO settings VALUES ('scrub', 'x')",
    "INSERT INTO hidden_texts (tenant_id, report_id, text)"
    " SELECT tenant_id, id, 'x' FROM forget_reports",
    "INSERT INTO nightly_metrics SELECT n, 'm', 0.5, NULL, 1 FROM nightly_runs",
    "INSERT INTO nightly_changes"
    " SELECT r.n, row_number() OVER (ORDER BY m.n, o.op), 0, 'memories', o.op, json_array(m.n),"
    " json_object('tier', json_array(m.tier, m.tier)), m.n, NULL"
    " FROM nightly_runs r JOIN memories m ON m.tenant_id = r.tenant_id"
    " CROSS JOIN (SELECT 'insert' AS op UNION SELECT 'update') o",
    "INSERT INTO nightly_changes"
    " SELECT run_n, max(seq) + 1, 0, 'core_lines', 'update', '[1,\"MEMORY.md\"]', '{}', NULL, NULL"
    " FROM nightly_changes GROUP BY run_n",
    "INSERT INTO workspaces (tenant_id, name) SELECT id, 'an empty project' FROM tenants",
    "INSERT INTO sessions (tenant_id, source, session_id, first_at, last_at, last_ingested_at,"
    " workspace_n) SELECT tenant_id, 'a', 'of ' || n, 1, 1, 1, n FROM workspaces",
    "UPDATE OR IGNORE segments SET closed_at = NULL, closed_by = NULL",
    "UPDATE extraction_queue SET lease_owner = 'one', lease_until = 9 WHERE state = 'waiting'"
    " AND n % 2",
    "UPDATE tenants SET last_erasure = id",
    "UPDATE embedding_backlog SET last_error = 'x', attempts = document_n % 3",
    "UPDATE extraction_queue SET last_error = 'x', not_before = 1 << 50, priority = n % 9",
)


def mix(connection: SqliteConnection) -> None:
    """Change many rows by chance, the same ones each time."""
    random = Random(1)
    connection.create_function("chance", 1, lambda share: random.random() < share)
    for statement in _NOTES:
        connection.execute(statement)
    tables = connection.tuples(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        " AND name NOT LIKE '%index%' AND name NOT LIKE 'vec%' AND name NOT LIKE 'sqlite%'"
        " ORDER BY name"
    )
    for (table,) in tables:
        if table not in _FIXED:
            for _, column, kind, is_needed, _, is_key in connection.tuples(
                f"PRAGMA table_info({table})"
            ):
                if not is_key:
                    _mix_column(connection, table, column, kind, can_be_null=not is_needed)


def lose(connection: SqliteConnection) -> None:
    """Delete some rows on which others rest, as damage might."""
    connection.execute("PRAGMA foreign_keys = OFF")
    for table in _LOST:
        connection.execute(f"DELETE FROM {table} WHERE chance(0.2)")
    connection.execute("PRAGMA foreign_keys = ON")


def _mix_column(
    connection: SqliteConnection, table: str, column: str, kind: str, *, can_be_null: bool
) -> None:
    change = f'UPDATE OR IGNORE {table} SET "{column}" ='
    is_reference = column == "attached_to" or column.endswith(("_n", "_id"))
    is_time = column == "at" or column.endswith(("_at", "_from", "_to"))
    if kind == "INTEGER" and is_time and not is_reference:
        connection.execute(f'{change} "{column}" / 1000 * 1000')
    if column in _CHOICES:
        has_tenant = connection.tuples(
            f"SELECT 1 FROM pragma_table_info('{table}') WHERE name = 'tenant_id'"
        )
        own = f"o.tenant_id = {table}.tenant_id" if has_tenant else "TRUE"
        connection.execute(
            f'{change} coalesce((SELECT o."{column}" FROM {table} o'
            f' WHERE {own} AND chance(0.2) LIMIT 1), "{column}") WHERE chance(0.2)'
        )
    if can_be_null:
        connection.execute(f"{change} NULL WHERE chance(0.15)")
    flags = connection.tuples(
        f'SELECT sum("{column}" NOT IN (0, 1)) FROM {table} WHERE typeof("{column}") = \'integer\''
    )
    if kind == "INTEGER" and flags == [(0,)] and not (is_reference or column.endswith("_at")):
        connection.execute(f'{change} 1 - "{column}" WHERE chance(0.3)')
