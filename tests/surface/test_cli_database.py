"""The `memoria` command on a memory in a PostgreSQL database, not in a file of a home."""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from tests.databases import Databases
from tests.surface.shell import Shell

from memoria.app.engine import choose_engine
from memoria.config import Settings
from memoria.errors import UnsupportedEngineError

NOWHERE = "postgresql://ann:pa55@127.0.0.1:1/memoria"
KEY = "ab" * 32
MISSPELT, UNSOUND = 2, 4


@pytest.fixture
def shell(databases: Databases, home: Path) -> Iterator[Shell]:
    """The command on a memory in a database, in which one thing is remembered."""
    with databases.dropping():
        named = databases.settings_of(home)
        variables = {f"MEMORIA_{name.upper()}": said for name, said in named.items()}
        shell = Shell(home, {"MEMORIA_WORKSPACE": "none", **variables})
        shell.json("remember", "Tea is kept in the shed")
        yield shell


def test_a_backup_is_left_to_postgres_and_says_so(shell: Shell) -> None:
    done = shell("backup")
    assert (done.code, done.out) == (1, "")
    assert "pg_dump" in done.err
    assert "memoria export" in done.err
    assert not (shell.home / "backups").exists()


def test_a_restore_is_left_to_postgres_before_anything_is_looked_at(shell: Shell) -> None:
    done = shell("restore", "nowhere.zip", "--yes")
    assert (done.code, done.out) == (1, "")
    assert "pg_restore" in done.err


def test_doctor_looks_at_the_database_and_the_home(shell: Shell) -> None:
    document = shell.json("doctor")
    found = {one["check"]: one for one in document["findings"]}
    assert document["sound"] is True
    assert found["engine"]["detail"].startswith("PostgreSQL ")
    assert "pg_dump" in found["backups"]["detail"]
    assert {"tenants apart", "durability", "erasure", "full text", "disk"} <= set(found)


def test_doctor_wipes_what_was_forgotten(shell: Shell) -> None:
    kept = shell.json("list")["memories"][0]["id"]
    forgotten = shell("forget", kept, "--yes")
    assert "its bytes are not wiped from the database yet" in " ".join(forgotten.out.split())
    before, after = (shell.json("doctor", *fix)["findings"] for fix in ((), ("--fix",)))
    (was,), (now,) = ([one for one in at if one["check"] == "erasure"] for at in (before, after))
    assert (was["state"], was["cure"].split()[-1]) == ("ok", "--fix")
    assert "a nightly run does it" in was["detail"]
    assert "no table has anything left" in now["detail"]


def test_a_night_wipes_what_was_forgotten(shell: Shell) -> None:
    kept = shell.json("list")["memories"][0]["id"]
    assert shell("forget", kept, "--yes").code == 0
    assert shell("nightly").code == 0
    (found,) = (one for one in shell.json("doctor")["findings"] if one["check"] == "erasure")
    assert "no table has anything left" in found["detail"]


def test_who_mistypes_a_tenant_is_told_which_there_are_in_the_database(shell: Shell) -> None:
    done = shell("--tenant", "amn", "search", "tea")
    assert done.code == MISSPELT
    assert "There is no tenant 'amn' in the database postgresql://memoria@" in done.err
    assert "There is: 'default'" in done.err


def test_stats_tell_the_size_of_the_database(shell: Shell) -> None:
    assert shell.json("stats")["database_bytes"] > 100_000


def test_an_export_goes_from_a_database_into_a_file_and_back(
    shell: Shell, databases: Databases, tmp_path: Path
) -> None:
    there, back = tmp_path / "there.jsonl", tmp_path / "back.jsonl"
    shell.json("export", there)
    file = Shell(tmp_path / "file", {"MEMORIA_WORKSPACE": "none", "MEMORIA_DATABASE_URL": ""})
    assert file("import", there).code == 0
    assert (file.home / "memoria.db").is_file()
    file.json("export", back)
    named = databases.settings_of(tmp_path / "another")
    other = Shell(
        tmp_path / "another",
        {"MEMORIA_WORKSPACE": "none", "MEMORIA_DATABASE_URL": named["database_url"]}
        | {"MEMORIA_TOMBSTONE_KEY": KEY},
    )
    assert other("import", back).code == 0
    found = [one.json("list")["memories"] for one in (shell, file, other)]
    assert found[0] == found[1] == found[2]


def test_a_server_that_does_not_answer_is_told_without_its_password(home: Path) -> None:
    shell = Shell(home, {"MEMORIA_DATABASE_URL": NOWHERE, "MEMORIA_TOMBSTONE_KEY": KEY})
    searched, looked = shell("search", "tea"), shell("doctor", "--json")
    assert searched.code == 1
    assert looked.code == UNSOUND
    (found,) = (one for one in looked.document["findings"] if one["check"] == "database")
    assert "it is the database postgresql://ann@127.0.0.1:1/memoria" in found["cure"]
    for told in (searched, looked):
        assert "Traceback" not in told.err
        assert "pa55" not in told.out + told.err


def test_a_database_without_a_memory_is_told(databases: Databases, home: Path) -> None:
    with databases.dropping():
        url = databases.settings_of(home)["database_url"]
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("CREATE SCHEMA bare")
        bare = f"{url}&options={quote('-c search_path=bare')}"
        shell = Shell(home, {"MEMORIA_DATABASE_URL": bare, "MEMORIA_TOMBSTONE_KEY": KEY})
        done = shell("search", "tea")
        assert done.code == MISSPELT
        assert "There is no memory in the database postgresql://" in done.err


def test_who_lacks_the_driver_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("memoria.store.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UnsupportedEngineError, match=r"pip install 'memoria-server\[postgres\]'"):
        choose_engine(Settings.from_values(database_url=NOWHERE))
