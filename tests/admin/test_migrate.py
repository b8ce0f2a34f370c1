"""A memory moves between a file and a PostgreSQL database, there and back, and is the same."""

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.admin.lived_home import ANN, TEA, LivedHome, live_in
from tests.admin.moved_rows import is_compared, read_database, read_file
from tests.databases import Databases
from tests.forgetting.remains import remains
from tests.homes.test_homes import HERE as FORMER_HOMES
from tests.retrieval.toys import hits_of
from tests.store.tenant_life import MODEL
from tests.surface.shell import Shell

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.app.engine import open_store
from memoria.app.moving import move, name_target, preview
from memoria.config import Settings
from memoria.disk.home_files import DATABASE
from memoria.errors import (
    ForgottenError,
    InvalidInputError,
    StoreError,
    StoreUnavailableError,
    UnusableFileError,
)
from memoria.model.nightly import UndoResult
from memoria.store.sqlite.driver import SqliteConnection, connect, transaction
from memoria.store.sqlite.schema import schema
from memoria.store.tables import MOVED_TABLES, SELF_REFERENCES

pytestmark = pytest.mark.sqlite("a move has both engines, whatever keeps the other tests' homes")

WORD = "fjordside"
KEY = "ab" * 32
"""The key for tombstones with which the databases of tests are begun; homes have others."""
QUESTIONS = ("tea", "port", "locker", "Momo", "会议", "what does the user prefer?", "8080")


def quiet(_done: int, _total: int) -> None:
    """Show no progress."""


class Place(NamedTuple):
    """A memory in a file, and an empty database to which it may move."""

    lived: LivedHome
    file: Settings
    database: Settings


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> LivedHome:
    """A home in which everything has happened: made once, copied for each test."""
    return live_in(tmp_path_factory.mktemp("lived") / "home")


@pytest.fixture
def place(pattern: LivedHome, tmp_path: Path, databases: Databases) -> Iterator[Place]:
    """A copy of that home, and a database."""
    shutil.copytree(pattern.home, tmp_path / "home")
    with databases.dropping():
        yield settings_of(tmp_path / "home", pattern, databases)


def settings_of(home: Path, lived: LivedHome, databases: Databases) -> Place:
    file = Settings.from_values(
        home=home, embedder="off", forget_grace_days=7, tombstone_key=KEY, workspace="none"
    )
    url = databases.settings_of(home.parent / "elsewhere")["database_url"]
    return Place(lived, file, name_target(file, url))


def read_files(settings: Settings) -> dict[tuple[str, str], bytes]:
    """Core files and pages of all tenants, wherever they are."""
    with closing(open_store(settings)) as store:
        return {
            (tenant, place): content
            for tenant in store.tenants()
            for place in store.files.of(tenant).list_places("")
            if place.endswith((".md", ".jsonl")) or place.startswith("night")
            if (content := store.files.of(tenant).read(place)) is not None
        }


async def ask_all(settings: Settings) -> dict[str, list[str]]:
    """What searches find, in order."""
    found: dict[str, list[str]] = {}
    for tenant in ("default", ANN):
        async with open_memoria(settings=settings.model_copy(update={"tenant": tenant})) as m:
            for question in QUESTIONS:
                memories = hits_of(await m.search_memory(question))
                turns = (await m.search_conversation_traces(question)).hits
                found[f"{tenant} {question}"] = [hit.id for hit in (*memories, *turns)]
    return found


def faults(settings: Settings) -> list[str]:
    with closing(open_store(settings)) as store:
        found = store.examine(deep=True)
    return [f"{one.check}: {one.detail}" for one in found if one.state == "error"]


def test_every_table_is_moved_after_what_it_refers_to_or_left_out_with_a_reason(
    tmp_path: Path,
) -> None:
    made = {
        name for name, sql in schema().items()
        if sql.startswith("CREATE TABLE") and is_compared(name)
    }  # fmt: skip
    assert made == set(MOVED_TABLES)
    assert len(made) == len(MOVED_TABLES)
    open_store(Settings.from_values(home=tmp_path, embedder="off")).close()
    with closing(connect(tmp_path / DATABASE, 1000)) as own:
        for at, table in enumerate(MOVED_TABLES):
            for _, _, parent, column, *_ in own.tuples(f'PRAGMA foreign_key_list("{table}")'):
                if SELF_REFERENCES.get(table) == column:
                    assert parent == table
                else:
                    assert parent in MOVED_TABLES[:at], (table, parent)


async def test_there_and_back_every_row_and_file_is_equal_and_searches_find_the_same(
    place: Place, tmp_path: Path
) -> None:
    answers = await ask_all(place.file)
    assert sum(map(bool, answers.values())) > len(QUESTIONS) / 2
    before, files = read_file(place.file), read_files(place.file)
    empty = {table for table, rows in before.items() if not rows}
    assert empty <= {"hidden_texts"}, "the home has not lived everything"
    report = move(place.file, place.database, quiet)
    assert read_file(place.file) == before
    assert read_database(place.database, place.file) == before
    assert read_files(place.database) == files
    assert report.rows == {one: len(before[one]) for one in MOVED_TABLES if before[one]}
    assert report.files == len(files)
    assert faults(place.database) == faults(place.file)
    back = name_target(place.database, str(tmp_path / "back"))
    move(place.database, back, quiet)
    assert read_file(back) == before
    assert read_files(back) == files
    assert faults(back) == faults(place.file)
    assert await ask_all(place.database) == answers
    assert await ask_all(back) == answers


@pytest.mark.parametrize("is_back", [False, True], ids=["there", "back"])
async def test_after_a_move_a_forget_and_a_night_are_taken_back_and_the_forgotten_stays_away(
    place: Place, tmp_path: Path, *, is_back: bool
) -> None:
    move(place.file, place.database, quiet)
    settings = place.database
    if is_back:
        settings = name_target(place.database, str(tmp_path / "back"))
        move(place.database, settings, quiet)
    assert await take_back(settings, place.lived) == await take_back(place.file, place.lived)
    assert faults(settings) == faults(place.file)


async def take_back(settings: Settings, lived: LivedHome) -> tuple[UndoResult, bytes | None]:
    """Take back what a forget hides, and all nights. Gives what came of the nights, and a file."""
    async with open_memoria(settings=settings) as m:
        for forgotten in lived.forgotten:
            with pytest.raises(ForgottenError):
                await m.remember(forgotten)
        assert (await m.undo_forget(lived.hidden)).state == "restored"
        assert TEA in {hit.text for hit in hits_of(await m.search_memory("tea"))}
        assert (await m.remember("Numbers go on after a move")).status == "remembered"
    undone = nights.undo_nightly(settings, lived.night, lambda _: None)
    assert undone.restored > 0
    with closing(open_store(settings)) as store:
        return undone, store.files.of("default").read("USER.md")


class StoppedError(Exception):
    """The process is gone."""


def stop_after(part: float) -> Callable[[int, int], None]:
    """A progress report that ends the move after a part of it."""

    def stop(done: int, total: int) -> None:
        if done >= part * total:
            raise StoppedError

    return stop


@pytest.mark.parametrize("part", [0.3, 1])
@pytest.mark.parametrize("is_back", [False, True], ids=["there", "back"])
def test_a_move_that_was_killed_goes_on_and_doctor_says_that_it_must(
    place: Place, tmp_path: Path, part: float, *, is_back: bool
) -> None:
    before = read_file(place.file)
    source, target = place.file, place.database
    if is_back:
        move(place.file, place.database, quiet)
        source, target = place.database, name_target(place.database, str(tmp_path / "back"))
    with pytest.raises(StoppedError):
        move(source, target, stop_after(part))
    assert [one for one in faults(target) if one.startswith("copy:")]
    with pytest.raises(InvalidInputError, match="half a copy"):
        move(target, name_target(target, str(tmp_path / "further")), quiet)
    report = move(source, target, quiet)
    assert report.written < sum(report.rows.values()) or part < 0.1
    rows = read_file(target) if is_back else read_database(target, source)
    assert rows == before
    assert faults(target) == faults(source)


def test_a_source_that_was_changed_meanwhile_is_told_and_moved_by_the_next_run(
    place: Place,
) -> None:
    """Rows come, go and change, also ones that others refer to."""
    changed: list[bool] = []

    def change(done: int, total: int) -> None:
        if done < total / 2 or changed:
            return
        with closing(connect(place.file.home_path / DATABASE, 1000)) as own, transaction(own):
            changed.append(change_rows(own))
        (place.file.home_path / "USER.md").write_text("# User\n\n- edited meanwhile\n", "utf-8")

    with pytest.raises(StoreError, match=r"changed while it was copied.* of memories.*again"):
        move(place.file, place.database, change)
    assert changed
    move(place.file, place.database, quiet)
    assert read_database(place.database, place.file) == read_file(place.file)
    assert read_files(place.database) == read_files(place.file)
    assert faults(place.database) == faults(place.file)


def change_rows(connection: SqliteConnection) -> bool:
    """Change rows of a file as a busy client might."""
    (first, last), *_ = connection.tuples("SELECT min(n), max(n) FROM memories")
    for sql in (
        f"UPDATE memories SET merged_into = {last} WHERE n = {first}",  # noqa: S608
        "UPDATE workspaces SET name = name || ' elsewhere'",
        "DELETE FROM memory_evidence",
        "DELETE FROM edges WHERE src_n % 2",
        "DELETE FROM tokens",
        "INSERT INTO workspaces (tenant_id, name) SELECT id, 'another' FROM tenants",
    ):
        connection.execute(sql)
    return True


@pytest.mark.parametrize("is_back", [False, True], ids=["there", "back"])
async def test_what_is_forgotten_between_two_runs_leaves_no_trace_in_the_copy(
    place: Place, tmp_path: Path, *, is_back: bool
) -> None:
    async with open_memoria(settings=place.file) as m:
        said = await m.remember(f"The name of the user's boat is {WORD}")
    source, target = place.file, place.database
    if is_back:
        move(place.file, place.database, quiet)
        source, target = place.database, name_target(place.database, str(tmp_path / "back"))
    with pytest.raises(StoppedError):
        move(source, target, stop_after(1))
    at_once = source.model_copy(update={"forget_grace_days": 0})
    async with open_memoria(settings=at_once) as m:
        await m.forget_memory([said.id], include_source=True)
    move(source, target, quiet)
    if is_back:
        assert remains(target.home_path, WORD) == set()
    else:  # its files are written anew by a nightly run
        assert WORD not in repr(read_database(target, source))
        with closing(open_store(target)) as store:
            assert store.needs_scrub()


def test_a_target_with_another_memory_is_refused_and_stays_as_it_was(
    place: Place, tmp_path: Path
) -> None:
    other = live_in(tmp_path / "other").home
    there = Settings.from_values(home=other, embedder="off", tombstone_key=KEY)
    move(place.file, place.database, quiet)
    before = read_database(place.database, place.file)
    with pytest.raises(InvalidInputError, match="a memory already"):
        move(there, place.database, quiet)
    assert read_database(place.database, place.file) == before
    assert faults(place.database) == faults(place.file)
    rows = read_file(there)
    with pytest.raises(InvalidInputError, match="a memory already"):
        move(place.database, name_target(place.database, str(other)), quiet)
    assert read_file(there) == rows


def test_a_place_that_somebody_has_open_is_no_target_until_it_is_closed(
    place: Place, tmp_path: Path
) -> None:
    other = Settings.from_values(home=tmp_path / "other", embedder="off", tombstone_key=KEY)
    for source, target in ((place.file, place.database), (place.database, other)):
        with closing(open_store(target)), pytest.raises(StoreUnavailableError, match=r"open\. "):
            move(source, target, quiet)
        move(source, target, quiet)
    assert read_file(other) == read_file(place.file)


def test_a_text_that_postgresql_cannot_hold_is_told_by_its_table(place: Place) -> None:
    with closing(connect(place.file.home_path / DATABASE, 1000)) as own, transaction(own):
        own.execute("UPDATE tokens SET label = 'a' || char(0)")
    with pytest.raises(StoreError, match=r"tokens.*NUL"):
        move(place.file, place.database, quiet)
    assert read_database(place.database, place.file)["tokens"] == []
    assert [one for one in faults(place.database) if one.startswith("copy:")]
    with closing(connect(place.file.home_path / DATABASE, 1000)) as own, transaction(own):
        own.execute("UPDATE tokens SET label = 'a'")
    move(place.file, place.database, quiet)
    assert faults(place.database) == faults(place.file)


def test_a_core_file_that_cannot_be_read_stops_the_move_and_is_named(place: Place) -> None:
    (place.file.home_path / "USER.md").write_bytes(b"x" * 20_000_000)
    with pytest.raises(UnusableFileError, match=r"USER\.md"):
        move(place.file, place.database, quiet)


def test_a_target_that_is_the_source_or_no_place_at_all_is_refused(place: Place) -> None:
    with pytest.raises(InvalidInputError, match="already"):
        name_target(place.file, str(place.file.home_path))
    assert place.database.database_url is not None
    with pytest.raises(InvalidInputError, match="already"):
        name_target(place.database, place.database.database_url.get_secret_value())
    with pytest.raises(InvalidInputError) as refused:
        name_target(place.file, "mysql://ann:hunter2@db/memoria")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("version", ["05", "17", "25"])
def test_a_home_of_an_older_version_moves(
    version: str, tmp_path: Path, databases: Databases, pattern: LivedHome
) -> None:
    with zipfile.ZipFile(FORMER_HOMES / f"{version}.zip") as packed:
        packed.extractall(tmp_path / "home")
    with databases.dropping():
        place = settings_of(tmp_path / "home", pattern, databases)
        move(place.file, place.database, quiet)
        assert read_database(place.database, place.file) == read_file(place.file)
        assert faults(place.database) == faults(place.file)


def test_the_command_counts_moves_and_says_what_to_do_next(place: Place) -> None:
    assert place.database.database_url is not None
    url = place.database.database_url.get_secret_value()
    secret = url.replace("memoria@", "memoria:hunter2@")
    shell = Shell(place.file.home_path, {"MEMORIA_TOMBSTONE_KEY": KEY})
    counted = shell("migrate", "--to", secret, "--dry-run", "--json").document
    expected = preview(place.file)
    assert (counted["rows"], counted["files"]) == (dict(expected.rows), expected.files)
    assert counted["written"] == 0
    assert "equal" not in counted
    assert sum(map(len, read_database(place.database, place.file).values())) == 0
    moved = shell("migrate", "--to", secret)
    assert moved.code == 0
    assert "compared and equal" in moved.out
    assert "MEMORIA_DATABASE_URL" in moved.out
    assert "hunter2" not in moved.out + moved.err + str(counted)
    again = shell("migrate", "--to", secret)
    assert again.code != 0
    assert "Nothing was changed" in again.err
    assert MODEL not in again.err


@pytest.mark.parametrize("limit", ["idle_in_transaction_session_timeout", "statement_timeout"])
def test_a_side_of_a_move_waits_for_the_other_as_long_as_that_takes(
    place: Place, limit: str
) -> None:
    with closing(open_store(place.database)) as store:
        for begun in (store.moved.read_all(), store.moved.change_table("memories")):
            with begun as connection:
                asked = "SELECT current_setting(:limit)"
                assert connection.execute(asked, {"limit": limit}).fetchone()[0] == "0"
