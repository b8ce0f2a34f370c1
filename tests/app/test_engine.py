"""A memory begins with whoever opens a home to keep something, and not with who looks at it."""

from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from tests.databases import Databases

from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings


def opening_begins_it(chosen: Settings) -> bool:
    """Whether there is a memory from when the home is opened on, and none before."""
    engine = choose_engine(chosen)
    before = engine.exists(chosen)
    open_store(chosen).close()
    return engine.exists(chosen) and not before


@pytest.mark.sqlite("the database is a file of the home")
def test_a_home_begins_with_whoever_opens_it_and_holds_one_file_of_a_database(home: Path) -> None:
    assert opening_begins_it(Settings.load(home=home, tenant="ann", embedder="off"))
    assert (home / "memoria.db").is_file()


def test_tables_are_made_by_whoever_opens_a_database_without_them(
    databases: Databases, home: Path
) -> None:
    with databases.dropping():
        named = databases.settings_of(home)
        with psycopg.connect(named["database_url"], autocommit=True) as owner:
            owner.execute("CREATE SCHEMA bare")
        named["database_url"] += f"&options={quote('-c search_path=bare')}"
        assert opening_begins_it(Settings.from_values(home=home, embedder="off", **named))
        assert not (home / "memoria.db").exists()
