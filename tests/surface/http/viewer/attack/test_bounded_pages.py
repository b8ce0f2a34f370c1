"""A page asks the database as much of a large memory as of a small one."""

import sqlite3 as standard
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.store.insides import Work, noted_work_of_postgres
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.attack.stage import (
    PAGES,
    ViewerGuest,
    build_example,
    enter,
    fill,
    open_memory,
)

from memoria import Memoria
from memoria.store.sqlite import connections
from memoria.store.sqlite.driver import Row, SqliteConnection, connect
from memoria.surface.http.viewer.table import PageRow

pytestmark = pytest.mark.anyio
_SIZES = {"ann": 1, "ben": 2}
"""Tenants, and how many times as much as the first each has."""
_SESSIONS, _TURNS_OF_EACH, _MEMORIES, _PROJECTS = 55, 2, 30, 5
"""Contents of the first: more of each than a page shows at once, but for projects."""
_LOADS = 2
"""Number of times that a page is loaded: whatever else asks meanwhile, it does not each time."""
_MOST_STATEMENTS = {"sqlite": 60, "postgres": 100}
"""SQLite's do not count those that begin with a comment, such as a quarter of what is asked for the
preview of a forget."""
_MOST_ROWS = 1_500
_FOLLOW_NAMES = {"preview forget"}
"""Pages whose search follows names up to a bound of its own: of a name that most memories have it
follows none, so that a large memory may ask for less."""


class Asked(NamedTuple):
    """Number of statements, and of rows that they gave."""

    statements: int
    rows: int


@contextmanager
def note_asked(engine: str) -> Iterator[Work]:
    """Note what connections that are opened from here on are asked."""
    if engine == "postgres":
        with noted_work_of_postgres() as work:
            yield work
        return
    asked = Work()

    def count_row(cursor: standard.Cursor, values: tuple[object, ...]) -> Row:
        asked.rows += 1
        return Row(cursor, values)

    def note_statement(sql: str) -> None:
        if not sql.startswith(("--", "PRAGMA", "BEGIN", "COMMIT", "ROLLBACK")):
            asked.statements.append(sql)

    def connect_counting(
        path: Path, busy_timeout_ms: int, *, read_only: bool = False
    ) -> SqliteConnection:
        connection = connect(path, busy_timeout_ms, read_only=read_only)
        connection.row_factory = count_row
        connection.set_trace_callback(note_statement)
        return connection

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connections, "connect", connect_counting)
        yield asked


async def grow(memory: Memoria, size: int) -> None:
    """Have sessions held, and memories of things and people kept."""
    for project in range(_PROJECTS):
        turns = [
            {
                "role": ("user", "assistant")[number % 2],
                "content": f"On pier {session} boat {number} is painted, says Ida {session}.",
                "at": f"2026-{1 + session // 28 % 9:02}-{1 + session % 28:02}T09:00:00Z",
                "session_id": f"s{session}",
            }
            for session in range(project, _SESSIONS * size, _PROJECTS)
            for number in range(_TURNS_OF_EACH)
        ]
        await memory.record_conversation(turns, workspace=f"/srv/project-{project}")
    for number in range(_MEMORIES * size):
        await memory.remember(
            f"The boat number {number} lies at pier {number}.",
            entities=[f"Boat {number}", "Xochipilli-4410aa"],
        )


async def count_for(
    asked: Work, guest: ViewerGuest, page: PageRow[Any], ids: dict[str, str]
) -> Asked:
    """Return what a page asks for each time that it is loaded."""
    loads = []
    for _ in range(_LOADS):
        asked.statements.clear()
        asked.rows = 0
        answer = await guest.open(page, build_example(page, ids))
        assert answer.status_code == 200, (page.name, answer.text[:300])
        loads.append((len(asked.statements), asked.rows))
    return Asked(*map(min, zip(*loads, strict=True)))


async def test_a_page_asks_no_more_of_a_large_memory_than_of_a_small_one(
    start_server: StartServer, engine: str
) -> None:
    found: dict[str, dict[str, Asked]] = {}
    with note_asked(engine) as asked:
        async with start_server() as server:
            ids = {tenant: await fill(open_memory(server, tenant)) for tenant in _SIZES}
            for tenant, size in _SIZES.items():
                await grow(open_memory(server, tenant), size)
            for tenant in _SIZES:
                async with enter(server, tenant) as guest:
                    found[tenant] = {
                        page.name: await count_for(asked, guest, page, ids[tenant])
                        for page in PAGES
                    }
    most_statements = _MOST_STATEMENTS[engine]
    for name, large in found["ben"].items():
        small = found["ann"][name]
        assert 0 < large.statements <= min(small.statements + 2, most_statements), (name, found)
        most = _MOST_ROWS if name in _FOLLOW_NAMES else min(small.rows * 1.5 + 40, _MOST_ROWS)
        assert large.rows <= most, (name, found)
