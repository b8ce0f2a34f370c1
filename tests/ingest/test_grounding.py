"""Memories of a repository say whether what they speak of is as it was."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.repositories import MadeRepository

import memoria
from memoria import Memoria, Settings
from memoria.bare.projects import note_project
from memoria.ingest.grounding import GroundingWorker
from memoria.model.grounds import GroundMark
from memoria.surface.mcp.instructions import briefing_writer

CLIENT = "TIMEOUT = 5\n\n\ndef fetch(url):\n    return get(url, timeout=TIMEOUT)\n"
OTHER = "def add(one, other):\n    return one + other\n"
SAID = "The default TIMEOUT in client.py is 5 seconds."
QUESTION = "What is the default timeout?"


@pytest.fixture
def project(tmp_path: Path) -> MadeRepository:
    made = MadeRepository(tmp_path / "shop")
    made.commit({"client.py": CLIENT, "other.py": OTHER})
    return made


@pytest.fixture
async def m(home: Path, project: MadeRepository) -> AsyncIterator[Memoria]:
    """A memory of the project, whose background work is done when a test asks for it."""
    workspace = note_project(str(home), project.folder)
    settings = Settings.from_values(home=home, embedder="off", workspace=workspace)
    async with memoria.open(settings=settings, reads_queue=False) as opened:
        yield opened


def worker_of(m: Memoria) -> GroundingWorker:
    worker = m._home.grounds  # noqa: SLF001  (its work is otherwise done by a thread)
    assert worker is not None
    return worker


def bind(m: Memoria) -> None:
    assert m.settings.workspace is not None
    worker_of(m).catch_up(m.tenant, m.settings.workspace)


async def brief(m: Memoria) -> str:
    return (await m.compose(briefing_writer(m.settings), m.settings.workspace)).text


async def find_mark(m: Memoria, words: str = SAID) -> GroundMark | None:
    found = await m.search_memory(QUESTION)
    return next(hit.ground for hit in found.hits if hit.text == words)


async def test_what_stands_in_its_file_as_before_is_unchanged(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember(SAID)
    bind(m)
    project.commit({"other.py": OTHER + "\n\nx = add(1, 2)\n"})
    project.commit({"client.py": "# Defaults\n" + CLIENT})
    assert await find_mark(m) == GroundMark(state="unchanged")


async def test_what_was_changed_says_so_and_counts_the_commits(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember(SAID)
    bind(m)
    (project.folder / "client.py").write_text(CLIENT.replace("5", "30"), "utf-8")
    assert await find_mark(m) == GroundMark(state="changed", commits=0)
    project.commit({"client.py": CLIENT.replace("5", "30")})
    assert await find_mark(m) == GroundMark(state="changed", commits=1)


async def test_a_renamed_file_is_followed(m: Memoria, project: MadeRepository) -> None:
    await m.remember(SAID)
    bind(m)
    project.commit({"client.py": None, "net/http.py": CLIENT})
    assert await find_mark(m) == GroundMark(state="unchanged")


async def test_what_is_deleted_is_gone(m: Memoria, project: MadeRepository) -> None:
    await m.remember(SAID)
    bind(m)
    project.commit({"client.py": None})
    mark = await find_mark(m)
    assert mark is not None
    assert mark.state == "gone"


async def test_what_speaks_of_nothing_in_the_repository_has_no_mark(m: Memoria) -> None:
    wish = "Ann likes a default of tea at five."
    await m.remember(wish)
    bind(m)
    assert await find_mark(m, wish) is None


async def test_where_the_folder_is_away_nothing_is_claimed(
    m: Memoria, project: MadeRepository, home: Path
) -> None:
    await m.remember(SAID)
    bind(m)
    project.folder.rename(project.folder.with_name("elsewhere"))
    async with memoria.open(settings=m.settings, reads_queue=False) as anew:
        assert await find_mark(anew) == GroundMark(state="not checked")


async def test_what_has_changed_stands_behind_what_has_not(
    m: Memoria, project: MadeRepository
) -> None:
    other = "`add` in other.py returns one + other, the default timeout is not its matter."
    await m.remember(SAID)
    await m.remember(other)
    bind(m)
    before = [hit.text for hit in (await m.search_memory(QUESTION)).hits]
    assert before == [SAID, other]
    assert await find_mark(m, other) == GroundMark(state="unchanged")
    project.commit({"client.py": CLIENT.replace("5", "30")})
    after = [hit.text for hit in (await m.search_memory(QUESTION)).hits]
    assert after == [other, SAID]


async def test_a_briefing_marks_what_has_changed_alone(m: Memoria, project: MadeRepository) -> None:
    await m.remember("Never raise TIMEOUT in client.py above 5 seconds.", type="rule")
    bind(m)
    assert "changed since" not in await brief(m)
    project.commit({"client.py": CLIENT.replace("5", "30")})
    assert "above 5 seconds. (changed since (1 commit))" in await brief(m)


async def test_forgetting_a_memory_forgets_what_it_was_bound_to(m: Memoria) -> None:
    remembered = await m.remember(SAID)
    bind(m)
    preview = await m.preview_forget([remembered.id])
    await m.forget_memory([remembered.id], token=preview.token)
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (no face shows what is bound)
        assert tx.grounds.list_of_project(str(m.settings.workspace)) == []
