"""Rows that a night or a forget changes are put back, whichever row of whichever table it is."""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import open_home
from tests.lifecycle.dump import dump, night
from tests.store.tenant_life import SAID, live

from memoria.config import Settings
from memoria.model import new_id
from memoria.model.core import CORE_FILES
from memoria.store.connection import Column, Connection, RefusedRowError
from memoria.store.engine import JournalingStore
from memoria.store.rows.forgotten import HIDDEN_TABLES
from memoria.store.rows.revert import JOURNALED_TABLES
from memoria.store.rows.transaction import Transaction

TENANT = "ann"
Change = tuple[str, str, int, int]
"""What to do to a table: to which row, by its place in order, with which column."""


NEVER_DELETED_ALONE = {"memories", "entities", "entity_names"}
"""A memory is forgotten in all its rows, an entity goes with its node, a name with its last use."""


def changes(tables: tuple[str, ...], *deeds: str) -> st.SearchStrategy[list[Change]]:
    wanted = [
        (table, deed)
        for table in tables
        for deed in deeds
        if deed != "delete" or table not in NEVER_DELETED_ALONE
    ]
    places = st.integers(0, 99)
    one = st.builds(lambda what, *where: (*what, *where), st.sampled_from(wanted), places, places)
    return st.lists(one, min_size=1, max_size=20)


@pytest.fixture(scope="module")
def lived(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a tenant that has done everything it can."""
    home = tmp_path_factory.mktemp(engine)
    with closing(open_home(home)) as store:
        live(store, TENANT, SAID)
    return home


@pytest.fixture(scope="module")
def own(lived: Path) -> Iterator[JournalingStore]:
    """The store of a night in that home."""
    with night(Settings.from_values(home=lived, tenant=TENANT, embedder="off")) as (_, own):
        yield own


UNDER_TEST = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@UNDER_TEST
@given(changes(JOURNALED_TABLES, "insert", "update", "delete"))
def test_whichever_row_a_night_changes_an_undo_puts_it_back(
    lived: Path, own: JournalingStore, wanted: list[Change]
) -> None:
    before = dump(lived)
    with own.read(TENANT) as tx:
        run = tx.nightly_runs.open_run()
    assert run is not None
    with own.journaling(run, 0), own.write(TENANT) as tx:
        for change in wanted:
            change_row(connection_of(tx), *change)
    outcomes: tuple[int, ...] = (0, 0, 0)
    while True:
        with own.write(TENANT) as tx:
            counts = tx.nightly_runs.revert(run, 100)
        if not any(counts):
            break
        outcomes = tuple(map(sum, zip(outcomes, counts, strict=True)))
    assert outcomes[1:] == (0, 0)
    assert dump(lived) == before


@UNDER_TEST
@given(changes(HIDDEN_TABLES, "update", "delete"), st.integers(0, 99), st.integers(0, 99))
def test_whichever_row_a_forget_changes_it_can_be_put_back(
    lived: Path, own: JournalingStore, wanted: list[Change], memory: int, turn: int
) -> None:
    before, report = dump(lived, *HIDDEN_TABLES), new_id()
    with own.write(TENANT) as tx:
        erase(tx, report, memory, turn)
        with tx.hidden.hide_changes(report):
            for change in wanted:
                change_row(connection_of(tx), *change)
        assert tx.hidden.put_back(report, CORE_FILES) > 0
    assert dump(lived, *HIDDEN_TABLES) == before


def test_an_image_tells_bytes_and_fractions_in_a_form_that_every_engine_reads(
    own: JournalingStore,
) -> None:
    report = new_id()
    with own.write(TENANT) as tx:
        with tx.hidden.hide_changes(report):
            for table, place in product(HIDDEN_TABLES, range(25)):
                change_row(connection_of(tx), table, "update", 0, place)
        sql = "SELECT tbl, image FROM hidden_changes WHERE report_id = ?"
        images = [*map(tuple, connection_of(tx).execute(sql, (report,)))]
        assert tx.hidden.put_back(report, CORE_FILES) == len(images)
    forms = {
        (table, name, form_of(cell))
        for table, image in images
        for name, (_, cell) in json.loads(image).items()
    }
    assert {
        ("memories", "importance", "real"),
        ("memories", "pinned", "int"),
        ("memories", "subject", "str"),
        ("memories", "use_count", "int"),
        ("memory_versions", "fingerprint", "hex"),
        ("tombstone_vectors", "reach", "real"),
        ("tombstone_vectors", "vector", "hex"),
        ("core_lines", "digest", "hex"),
        ("turns", "passed_over", "int"),
    } <= forms
    assert {form for _, _, form in forms} == {"real", "int", "str", "hex"}


def form_of(cell: object) -> str:
    return next(iter(cell)) if isinstance(cell, dict) else type(cell).__name__


def erase(tx: Transaction, report: str, memory: int, turn: int) -> None:
    """Erase a memory and a message as a forget does, in all their rows."""
    ids = list_cells(tx, "SELECT id FROM memories ORDER BY n")
    turns = tx.conversations.session_turns("s", 0, 100)
    tx.hidden.hide_texts(report, list_cells(tx, "SELECT n FROM turns ORDER BY n"))
    with tx.hidden.hide_changes(report):
        tx.memories.erase(ids[memory % len(ids)])
        tx.conversations.erase_turn(turns[turn % len(turns)])


def connection_of(tx: Transaction) -> Connection:
    return tx._connection  # noqa: SLF001  (no face tells)


def list_cells(tx: Transaction, sql: str) -> list[Any]:
    return [row[0] for row in connection_of(tx).execute(sql)]


def change_row(connection: Connection, table: str, deed: str, place: int, which: int) -> None:
    """Do something to a row of a table, unless the database refuses that."""
    columns = connection.columns(table)
    names = ", ".join(column.name for column in columns)  # of the schema
    key = [column for column in columns if column.key]
    order = ", ".join(column.name for column in key)
    rows = [*map(tuple, connection.execute(f"SELECT {names} FROM {table} ORDER BY {order}"))]  # noqa: S608
    values = [column for column in columns if not column.key and column.name != "tenant_id"]
    if not rows or (deed == "update" and not values):
        return
    row = dict(zip(columns, rows[place % len(rows)], strict=True))
    where = " AND ".join(f"{column.name} = ?" for column in key)
    keys = [row[column] for column in key]
    with suppress(RefusedRowError), connection.savepoint():
        match deed:
            case "delete":
                connection.execute(f"DELETE FROM {table} WHERE {where}", keys)  # noqa: S608
            case "update":
                column = values[which % len(values)]
                sql = f"UPDATE {table} SET {column.name} = ? WHERE {where}"  # noqa: S608
                connection.execute(sql, [_another(column, row[column]), *keys])
            case _:
                twin = {one: _another(one, it) if _is_own(one) else it for one, it in row.items()}
                marks = ", ".join("?" * len(twin))
                sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608
                connection.execute(sql, [*twin.values()])


def _is_own(column: Column) -> bool:
    named = ("id", "key", "mark", "name", "subject")
    return column.name in named or (column.key > 0 and column.name != "tenant_id")


def _another(column: Column, value: Any) -> object:  # noqa: ANN401  (a cell holds anything)
    """Return another value of the same kind."""
    if isinstance(value, bytes) or column.declared in ("BLOB", "bytea"):
        return bytes(reversed(value or b"ab")) + b"c"
    if isinstance(value, str) or column.declared in ("TEXT", "text"):
        return f"{value}'s other"
    if isinstance(value, float):
        return (value + 1 / 3) / 2
    return 1 - value if value in (0, 1) else (value or 0) + 1000
