"""What processes of the tests of the write queue do. Each says on its pipe how far it came."""

from contextlib import closing
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

from memoria.store.sqlite.driver import connect, transaction

PATIENT_MS = 60_000


def write_when_told(pipe: Pipe, path: Path, who: str) -> None:
    """Wait for a word, write one row, and say so."""
    with closing(connect(path, PATIENT_MS)) as connection:
        pipe.send("ready")
        pipe.recv()
        with transaction(connection):
            connection.execute("INSERT INTO said VALUES (?)", (who,))
        pipe.send("written")


def hold(pipe: Pipe, path: Path) -> None:
    """Be inside of a transaction until a word comes, or for good."""
    with closing(connect(path, PATIENT_MS)) as connection, transaction(connection):
        connection.execute("INSERT INTO said VALUES ('holder')")
        pipe.send("holding")
        pipe.recv()
