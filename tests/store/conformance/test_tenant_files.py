"""Files of tenants: what holds wherever an engine keeps them."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import open_home
from tests.empty_home import lay_empty_home

import memoria
from memoria.app.nightly import run_nightly
from memoria.config import Settings
from memoria.disk.folders import HISTORY
from memoria.disk.regular_files import MOST_CORE_BYTES
from memoria.disk.tenant_files import HomeFiles, TenantFiles, list_core_places
from memoria.errors import UnusableFileError
from memoria.model import COMMAND_LINE
from memoria.model.forgetting import ForgetSelection
from memoria.store.engine import Store

DAY = "daily_summaries/2026-11-22.md"
BAD = {
    "outside": "../MEMORY.md",
    "outside, from a folder": "night/../../MEMORY.md",
    "absolute": "/etc/passwd",
    "NUL": "daily_summaries/a\0b.md",
    "long": f"daily_summaries/{'a' * 3000}.md",
    "half a character": "daily_summaries/\ud800.md",
}


@pytest.fixture
def all_files(store: Store) -> HomeFiles:
    """The files of a home."""
    return store.files


@pytest.fixture
def files(all_files: HomeFiles) -> TenantFiles:
    """The files of a tenant, who has none yet."""
    return all_files.of("ann")


def test_a_file_says_what_was_written_last_and_is_gone_when_it_is_deleted(
    files: TenantFiles,
) -> None:
    assert files.read(DAY) is files.find_state(DAY) is files.find_obstacle(DAY) is None
    assert not files.exists(DAY)
    states = set()
    for content in (b"one", b"", b"\x00\xff\r\n"):
        assert files.write(DAY, content)
        assert files.read(DAY) == content
        states.add(files.find_state(DAY))
    assert files.exists(DAY)
    assert len(states) == 3
    files.delete(DAY)
    files.delete(DAY)
    assert files.read(DAY) is None


def test_a_file_stays_where_it_is_to_be_replaced_no_more(files: TenantFiles) -> None:
    assert not files.write(DAY, b"new", lambda: files.read(DAY) is not None)
    assert files.read(DAY) is None
    files.write(DAY, b"one")
    assert not files.write(DAY, b"two", lambda: files.read(DAY) != b"one")
    assert files.write(DAY, b"three", lambda: files.read(DAY) == b"one")
    assert files.read(DAY) == b"three"


def test_a_file_stays_where_asking_fails(files: TenantFiles) -> None:
    files.write(DAY, b"one")

    def fail() -> bool:
        raise UnusableFileError("unreadable")

    with pytest.raises(UnusableFileError, match="unreadable"):
        files.write(DAY, b"two", fail)
    assert files.read(DAY) == b"one"


def test_files_are_listed_by_folder_and_go_with_their_folder(files: TenantFiles) -> None:
    places = ["MEMORY.md", DAY, f"night/a/{DAY}", "night/b/USER.md", "nights/c/x_%.md"]
    for place in reversed(places):
        files.write(place, b"")
    assert [one for one in files.list_places("") if one.endswith(".md")] == places
    assert files.list_places("night") == [*files.list_states("night")] == places[2:4]
    assert files.list_states("")[DAY] == files.find_state(DAY)
    assert files.list_places("nowhere") == files.list_folders("nowhere") == []
    assert files.list_states("nowhere") == {}
    assert files.list_folders("night") == ["a", "b"]
    assert files.list_folders("daily_summaries") == files.list_drafts("") == []
    files.delete_folder("night/a")
    files.delete_folder("night/a")
    assert files.list_folders("night") == ["b"]
    files.delete_folder("night")
    files.delete_empty_folders("nights")
    assert files.list_places("nights") == [places[4]]
    files.delete(places[4])
    files.delete_empty_folders("nights/c")
    files.delete_empty_folders("nights")
    assert files.list_folders("nights") == []
    assert files.list_set_aside() == {}


def test_core_files_are_those_of_the_tenant_and_of_each_project(files: TenantFiles) -> None:
    files.write("projects/api-1/MEMORY.md", b"# The API\n")
    assert list_core_places(files) == [
        "MEMORY.md", "USER.md", "PERSONA.md", "projects/api-1/MEMORY.md",
    ]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_no_place_leads_out_of_the_tenants_files(
    files: TenantFiles, all_files: HomeFiles, name: str
) -> None:
    for tenant in ("default", "bob"):
        all_files.of(tenant).write("MEMORY.md", b"theirs")
    files.write(DAY, b"ours")
    place = BAD[name]
    obstacle = files.find_obstacle(place)
    assert obstacle is not None
    calls: list[Callable[[], object]] = [
        lambda: files.read(place),
        lambda: files.write(place, b"ours"),
        lambda: files.delete(place),
        lambda: files.find_state(place),
    ]
    for call in calls:
        with pytest.raises(UnusableFileError):
            call()
    assert not files.exists(place)
    files.delete_folder(place)
    files.delete_folder("..")
    assert [one for one in files.list_places("") if one.endswith(".md")] == [DAY]
    for tenant in ("default", "bob"):
        assert all_files.of(tenant).read("MEMORY.md") == b"theirs"


def test_no_file_is_written_that_could_not_be_read_again(files: TenantFiles) -> None:
    with pytest.raises(UnusableFileError, match="at most 262,144"):
        files.write("MEMORY.md", b"x" * (MOST_CORE_BYTES + 1))
    files.write("MEMORY.md", b"x" * MOST_CORE_BYTES)
    assert len(files.read("MEMORY.md") or b"") == MOST_CORE_BYTES
    with pytest.raises(UnusableFileError, match="reads at most 1,000"):
        files.read("MEMORY.md", 1_000)
    files.write(DAY, b"x" * (MOST_CORE_BYTES + 1))
    assert len(files.read(DAY) or b"") == MOST_CORE_BYTES + 1


def test_tenants_have_files_of_their_own(all_files: HomeFiles) -> None:
    for tenant in ("ann", "Ann", "陈伟"):
        all_files.of(tenant).write("USER.md", tenant.encode())
    for tenant in ("ann", "Ann", "陈伟"):
        assert all_files.of(tenant).read("USER.md") == tenant.encode()
    all_files.of("ann").delete("USER.md")
    assert all_files.of("Ann").exists("USER.md")
    assert all_files.of("bob").read("USER.md") is None


async def test_a_conversation_is_written_into_a_file_where_people_can_open_it(
    engine: str, home: Path
) -> None:
    settings = Settings.from_values(home=lay_empty_home(home), embedder="off")
    async with memoria.open(settings=settings) as memory:
        turn = {"role": "user", "content": "The API listens on port 8080."}
        await memory.record_conversation([turn], session_id="s", event="session_end")
    step = run_nightly(settings, ["history"]).steps[0]
    with closing(open_home(home)) as store:
        places = store.files.of("default").list_places(HISTORY)
    if engine == "sqlite":
        assert (len(places), step.planned, step.reduced) == (1, 1, None)
    else:
        assert (places, step.planned) == ([], 0)
        assert "a database elsewhere keeps the memory" in (step.reduced or "")


async def test_what_is_forgotten_goes_from_files_and_comes_back_into_them(home: Path) -> None:
    settings = Settings.from_values(home=lay_empty_home(home), embedder="off", forget_grace_days=7)
    text = b"# USER.md\n\n- The locker combination is 4711.\n- mine\n"
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as memory:
        kept = await memory.remember("The locker combination is 4711.")
        with closing(open_home(home)) as store:
            files = store.files.of("default")
            for place in ("USER.md", f"night/run/{DAY}"):
                files.write(place, text)
            forgotten = await memory.forget_memory([kept.id])
            assert files.read("USER.md") == b"# USER.md\n\n- mine\n"
            assert not files.exists(f"night/run/{DAY}")
            assert set(forgotten.files) == {files.name("USER.md"), files.name(f"night/run/{DAY}")}
            assert forgotten.deleted_files == (files.name(f"night/run/{DAY}"),)
            assert forgotten.report is not None
            await memory.undo_forget(forgotten.report.id)
            assert files.read("USER.md") == text
            await memory.forget_memory(ForgetSelection(everything=True).with_token(None))
            assert [one for one in files.list_places("") if one.endswith(".md")] == []
