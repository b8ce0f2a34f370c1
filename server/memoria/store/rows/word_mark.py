"""The word mark: the last document that has the words of a given analyser in a file's index."""

from memoria.language.words.analyser import FORM
from memoria.store.connection import Connection
from memoria.store.sql.statements import statements


def read_mark(connection: Connection) -> tuple[int, int]:
    """Return the number of the analyser and that of the document; 0 and 0 if nothing is marked."""
    row = connection.execute(statements("word_renewal")["mark"]).fetchone()
    form, last = ("0", "0") if row is None else row["value"].split(":")
    return int(form), int(last)


def set_mark(connection: Connection, last: int) -> None:
    """Record that the documents up to one have the words of this version."""
    connection.execute(statements("word_renewal")["set_mark"], {"value": f"{FORM}:{last}"})
