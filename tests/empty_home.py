"""Empty homes that are laid instead of made: what a first opening writes is always the same bytes.

To make a home takes a hundred statements, and most tests begin with one of their own. Those that
are about how a home begins open it where nothing is.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.databases import engine_variables

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.disk.home_files import DATABASE


def lay_empty_home(home: Path) -> Path:
    """Write the database of a home that has just been made; one that is there stays.

    Under PostgreSQL, a test's database has been made already.
    """
    file = home / DATABASE
    if not file.exists():
        home.mkdir(0o700, parents=True, exist_ok=True)
        if engine_variables(home):
            return home
        file.touch(0o600)
        file.write_bytes(empty_database())
    return home


@cache
def empty_database() -> bytes:
    """The bytes of the database that a first opening makes."""
    with TemporaryDirectory() as folder:
        open_store(Settings.from_values(home=folder)).close()
        return (Path(folder) / DATABASE).read_bytes()
