"""The word mark: up to which document a file has the words that an analyser reads in its texts."""

from memoria.language.words.analyser import FORM
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.statements import statements


def read_mark(connection: Connection) -> tuple[int, int]:
    """The number of the analyser, and that of the document; 0 and 0 where nothing is marked."""
    row = connection.execute(statements("word_renewal")["mark"]).fetchone()
    form, last = ("0", "0") if row is None else row["value"].split(":")
    return int(form), int(last)


def set_mark(connection: Connection, last: int) -> None:
    """Note that the documents up to one have the words of this version."""
    connection.execute(statements("word_renewal")["set_mark"], {"value": f"{FORM}:{last}"})
