"""Journal of a nightly run: each row that the run changes, before and after the change.

The steps don't write it, for they might forget to. Temporary triggers on the run's connection do:
they see every change of a row, those by cascades and by the schema's own triggers included. Other
connections journal nothing. Indexes and vectors are not recorded: they follow from the rest.

A row that INSERT OR REPLACE displaces is seen because `recursive_triggers` is on.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from memoria.store.connection import Column, Connection

_DERIVED = {("documents", "changed")}
_EVENTS = {"insert": "NEW", "update": "NEW", "delete": "OLD"}
"""Events that change a row, and the name by which a trigger knows the row."""
_MEMORY_OF_NODE = "SELECT memory_n FROM nodes WHERE n = {row}.{column}"
_LAST_TO_USE = """
    SELECT c.{whose} FROM nightly_changes c
    WHERE '{row}' = 'OLD' AND c.run_n = w.run_n AND c.tbl = 'name_uses'
      AND json_extract(c.key, '$[0]') = {row}.n
    ORDER BY c.seq DESC LIMIT 1"""
"""Owner of a name, which goes with its last use, recorded just before; new images lack words."""
_TURN_OF_NAME = """
    SELECT coalesce(b.turn_n, v.turn_n)
    FROM nodes b LEFT JOIN memory_versions v ON v.memory_n = b.memory_n
    WHERE b.n = {row}.node_n ORDER BY v.version DESC LIMIT 1"""
_MEMORY = {
    "memories": "{row}.n",
    "nodes": "{row}.memory_n",
    "edges": f"({_MEMORY_OF_NODE.format(row='{row}', column='src_n')})",
    "name_uses": f"({_MEMORY_OF_NODE.format(row='{row}', column='node_n')})",
    "entity_names": f"({_LAST_TO_USE.format(row='{row}', whose='memory_n')})",
}
_TURN = {
    "nodes": "{row}.turn_n",
    "name_uses": f"({_TURN_OF_NAME})",
    "entity_names": f"({_LAST_TO_USE.format(row='{row}', whose='turn_n')})",
}
"""Owner of a row, in SQL, for tables without such a column."""


def list_columns(connection: Connection, table: str) -> list[Column]:
    """List the columns of a table that are not derived."""
    rows = connection.execute(f"PRAGMA table_xinfo({table})")
    return [
        Column(row["name"], row["type"], row["pk"])
        for row in rows
        if (table, row["name"]) not in _DERIVED
    ]


def install_triggers(connection: Connection, tables: Iterable[str]) -> None:
    """Install triggers that record changes to these tables within `journal_changes`."""
    connection.execute("PRAGMA recursive_triggers = ON")
    connection.execute("CREATE TEMP TABLE nightly_now (run_n INTEGER, step INTEGER)")
    for table in tables:
        noted = list_columns(connection, table)
        for event, row in _EVENTS.items():
            connection.execute(_trigger(table, event, row, noted))


@contextmanager
def journal_changes(connection: Connection, run_n: int, step: int) -> Iterator[None]:
    """Record what the block changes, which runs within a transaction."""
    connection.execute("INSERT INTO temp.nightly_now VALUES (?, ?)", (run_n, step))
    yield
    connection.execute("DELETE FROM temp.nightly_now")


def _trigger(table: str, event: str, row: str, noted: Sequence[Column]) -> str:
    key, image, condition = _describe_change(event, row, noted)
    return f"""
        CREATE TEMP TRIGGER journal_{table}_{event} AFTER {event.upper()} ON main.{table}
        {condition}
        BEGIN
            INSERT INTO nightly_changes (run_n, seq, step, tbl, op, key, image, memory_n, turn_n)
            SELECT w.run_n,
                   1 + coalesce((SELECT max(c.seq) FROM nightly_changes c
                                 WHERE c.run_n = w.run_n), 0),
                   w.step, '{table}', '{event}', json_array({key}), {image},
                   {_owner_column(table, row, _MEMORY, "memory_n", noted)},
                   {_owner_column(table, row, _TURN, "turn_n", noted)}
            FROM nightly_now w;
        END"""


def _describe_change(event: str, row: str, noted: Sequence[Column]) -> tuple[str, str, str]:
    """Return a trigger's key, image and condition for a change, in SQL.

    The image of a new row holds no text.
    """
    key = ", ".join(f"{row}.{c.name}" for c in sorted(noted, key=lambda c: c.key) if c.key)
    if event == "update":
        changed = " OR ".join(f"OLD.{c.name} IS NOT NEW.{c.name}" for c in noted)
        return key, _update_image(noted), f"WHEN {changed}"
    shown = [c for c in noted if event == "delete" or not _holds_text(c)]
    return key, _row_image(row, shown), ""


@contextmanager
def hide_changes(
    connection: Connection, tables: Sequence[str], tenant: int, report_id: str
) -> Iterator[None]:
    """Record in `hidden_changes` how the rows were that the block changes."""
    connection.execute("CREATE TEMP TABLE hiding_now (tenant_id INTEGER, report_id TEXT)")
    connection.execute("INSERT INTO temp.hiding_now VALUES (?, ?)", (tenant, report_id))
    for table in tables:
        noted = list_columns(connection, table)
        for event, row in _EVENTS.items():
            connection.execute(_hiding_trigger(table, event, row, noted))
    yield
    for table in tables:
        for event in _EVENTS:
            connection.execute(f"DROP TRIGGER temp.hide_{table}_{event}")
    connection.execute("DROP TABLE temp.hiding_now")


def _hiding_trigger(table: str, event: str, row: str, noted: Sequence[Column]) -> str:
    key, image, condition = _describe_change(event, row, noted)
    return f"""
        CREATE TEMP TRIGGER hide_{table}_{event} AFTER {event.upper()} ON main.{table}
        {condition}
        BEGIN
            INSERT INTO hidden_changes (tenant_id, report_id, tbl, op, key, image)
            SELECT w.tenant_id, w.report_id, '{table}', '{event}', json_array({key}), {image}
            FROM hiding_now w;
        END"""


def _owner_column(
    table: str, row: str, known: dict[str, str], usual: str, noted: Sequence[Column]
) -> str:
    usually = f"{{row}}.{usual}" if any(c.name == usual for c in noted) else "NULL"
    return known.get(table, usually).format(row=row)


def _holds_text(column: Column) -> bool:
    return column.declared not in ("INTEGER", "REAL")


def _row_image(row: str, noted: Sequence[Column]) -> str:
    pairs = ", ".join(f"'{c.name}', json({_value_as_json(f'{row}.{c.name}')})" for c in noted)
    return f"json_object({pairs})"


def _update_image(noted: Sequence[Column]) -> str:
    """Build {column: [before, after]} of the columns that changed, in SQL."""
    parts = " UNION ALL ".join(
        f"SELECT '{c.name}' AS name, json_array(json({_value_as_json(f'OLD.{c.name}')}), "
        f"json({_value_as_json(f'NEW.{c.name}')})) AS pair WHERE OLD.{c.name} IS NOT NEW.{c.name}"
        for c in noted
    )
    return f"(SELECT json_group_object(name, json(pair)) FROM ({parts}))"


def _value_as_json(x: str) -> str:
    """Return SQL that writes a value as JSON without loss: SQLite's own rounds numbers."""
    return (
        f"CASE typeof({x}) WHEN 'blob' THEN json_object('hex', hex({x})) "
        f"WHEN 'real' THEN json_object('real', printf('%!.17g', {x})) ELSE json_quote({x}) END"
    )
