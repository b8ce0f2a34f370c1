"""What the store's tests share: an opened store, and programs in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from tests.databases import Databases, open_home
from tests.empty_home import lay_empty_home
from tests.store.insides import TOY_MODEL
from tests.store.tenant_life import SAID, live, marks

from memoria.memories.statements import Statements
from memoria.model import LIBRARY, MemoryType
from memoria.store.engine import Store

if TYPE_CHECKING:
    from tests.store.shared_database import Database

OpenStore = Callable[[Path], Store]


@pytest.fixture
def open_store() -> Iterator[OpenStore]:
    """Opens the store of a home; closes whatever it opened when the test ends."""
    opened: list[Store] = []

    def open_one(home: Path) -> Store:
        opened.append(open_home(home))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore, home: Path) -> Store:
    """The store of an empty home."""
    return open_store(lay_empty_home(home))


@pytest.fixture
def database(databases: Databases, tmp_path: Path) -> "Iterator[Database]":
    """A database of PostgreSQL, whatever engine is under test."""
    from tests.store.shared_database import Database  # noqa: PLC0415  (who tests SQLite may do without)

    with databases.dropping():
        made = Database(databases.settings_of(tmp_path / "elsewhere")["database_url"])
        yield made
        made.close()


@pytest.fixture
def toy_model(store: Store) -> None:
    """Has the store of an empty home embed with a model that is none."""
    with store.backlog(write=True) as backlog:
        backlog.choose_model(TOY_MODEL)


@pytest.fixture
def run_python() -> Callable[..., str]:
    """Runs a program with arguments in another process; gives what it printed."""

    def run(program: str, *arguments: object, path: Path | None = None) -> str:
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-c", dedent(program), *map(str, arguments)],
            timeout=120,
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ) if path is None else {**os.environ, "PYTHONPATH": str(path)},
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


@pytest.fixture(scope="module")
def two(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store in which Ann and Bob have said the same, and Carol nothing."""
    home = tmp_path_factory.mktemp(engine)
    store = open_home(home)
    for tenant in ("ann", "bob"):
        live(store, tenant, SAID)
    for tenant in ("ann", "bob"):
        statements = Statements(store, tenant, LIBRARY, marks(tenant))
        statements.remember("this waits for its vector", MemoryType.FACT)
        beside = Statements(store, tenant, LIBRARY, marks(tenant), "a project")
        beside.remember("in this repo it is the port", MemoryType.FACT)
    yield store
    store.close()
