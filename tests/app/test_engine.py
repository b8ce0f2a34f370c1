"""A home is one file of a database, made when something opens it to keep something."""

from pathlib import Path

from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings


def test_a_home_begins_with_whoever_opens_it_and_holds_one_file_of_a_database(home: Path) -> None:
    chosen = Settings.load(home=home, tenant="ann", embedder="off")
    assert not choose_engine(chosen).exists(chosen)
    open_store(chosen).close()
    assert choose_engine(chosen).exists(chosen)
    assert (home / "memoria.db").is_file()
