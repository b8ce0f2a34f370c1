"""Memories of a repository say whether what they speak of is as it was."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from anyio import to_thread
from tests.repositories import MadeRepository, make_settings
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings
from memoria.app.nightly import dry_run, run_nightly
from memoria.app.remote.values import read_hit, read_memory
from memoria.ingest.grounding import GroundingWorker
from memoria.model import LIBRARY, now_millis
from memoria.model.grounds import GroundMark
from memoria.model.provenance import MemoryRecord
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.surface.documents import write_conclusions, write_lookup
from memoria.surface.mcp.instructions import briefing_writer, instructions_for

CLIENT = "TIMEOUT = 5\n\n\ndef fetch(url):\n    return get(url, timeout=TIMEOUT)\n"
OTHER = "def add(one, other):\n    return one + other\n"
SAID = "The default TIMEOUT in client.py is 5 seconds."
QUESTION = "What is the default timeout?"
CHANGED = GroundMark(state="changed", commits=1)


@pytest.fixture
def project(tmp_path: Path) -> MadeRepository:
    made = MadeRepository(tmp_path / "shop")
    made.commit({"client.py": CLIENT, "other.py": OTHER})
    return made


@pytest.fixture
def settings(home: Path, project: MadeRepository) -> Settings:
    return make_settings(home, project)


@pytest.fixture
async def m(settings: Settings) -> AsyncIterator[Memoria]:
    """A memory of the project, whose background work is done when a test asks for it."""
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


async def test_a_night_doubts_what_its_file_has_changed_under_until_the_file_is_back(
    m: Memoria, settings: Settings, project: MadeRepository
) -> None:
    kept = await m.remember(SAID, importance=0.8)
    bind(m)
    sure = list[tuple[float, str | None]]()
    for text in (CLIENT, CLIENT.replace("5", "30"), CLIENT):
        project.commit({"client.py": f"# {len(sure)}\n{text}"})
        await to_thread.run_sync(run_nightly, settings, ["weigh"])
        record = await m.provenance.get(kept.id)
        assert isinstance(record, MemoryRecord)
        assert record.weighing is not None
        sure.append((record.memory.confidence, record.weighing.files))
    assert sure == [(0.7, "unchanged"), (0.4, "changed"), (0.7, "unchanged")]


@pytest.mark.parametrize("is_committed", [True, False])
async def test_a_change_before_the_first_look_is_told(
    m: Memoria, project: MadeRepository, *, is_committed: bool
) -> None:
    await m.remember(SAID)
    other = CLIENT.replace("5", "30")
    later = now_millis() // 1000 + 60
    if is_committed:
        project.commit({"client.py": other}, at=later)
    else:
        (project.folder / "client.py").write_text(other, "utf-8")
    os.utime(project.folder / "client.py", (later, later))
    bind(m)
    assert await find_mark(m) == GroundMark(state="changed", commits=int(is_committed))


async def test_what_was_said_before_it_was_written_is_unchanged(
    m: Memoria, project: MadeRepository
) -> None:
    said = SAID.replace("5", "30")
    await m.remember(said)
    later = now_millis() // 1000 + 60
    project.commit({"client.py": CLIENT.replace("5", "30")}, at=later)
    os.utime(project.folder / "client.py", (later, later))
    bind(m)
    assert await find_mark(m, said) == GroundMark(state="unchanged")


async def test_what_was_written_and_not_committed_before_it_was_said_is_unchanged(
    m: Memoria, project: MadeRepository
) -> None:
    (project.folder / "client.py").write_text(CLIENT.replace("5", "30"), "utf-8")
    said = SAID.replace("5", "30")
    await m.remember(said)
    bind(m)
    assert await find_mark(m, said) == GroundMark(state="unchanged")


async def test_a_renamed_file_is_followed_and_its_path_told(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember(SAID)
    bind(m)
    project.commit({"client.py": None, "net/http.py": CLIENT})
    mark = await find_mark(m)
    assert mark == GroundMark(state="unchanged", moved_to="net/http.py")
    assert mark.phrase == "unchanged, now in net/http.py"


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
    m: Memoria, project: MadeRepository
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


async def test_instructions_mark_what_has_changed_alone(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember("Never raise TIMEOUT in client.py above 5 seconds.", type="rule")
    bind(m)
    told = await to_thread.run_sync(instructions_for, m.settings)
    assert "above 5 seconds. (reported)\n" in told
    project.commit({"client.py": CLIENT.replace("5", "30")})
    told = await to_thread.run_sync(instructions_for, m.settings)
    assert "above 5 seconds. (reported) (changed since (1 commit))\n" in told


async def test_forgetting_a_memory_forgets_what_it_was_bound_to(m: Memoria) -> None:
    remembered = await m.remember(SAID)
    bind(m)
    preview = await m.preview_forget([remembered.id])
    await m.forget_memory([remembered.id], token=preview.token)
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (no face shows what is bound)
        assert tx.grounds.list_of_project(str(m.settings.workspace)) == []


async def test_what_has_changed_is_listed_for_review(
    m: Memoria, project: MadeRepository, home: Path
) -> None:
    await m.remember(SAID)
    await m.remember("`add` in other.py returns one + other.")
    bind(m)
    assert await m.list_moved() == []
    project.commit({"client.py": CLIENT.replace("5", "30")})
    (moved,) = await m.list_moved()
    assert (moved.content, moved.ground) == (SAID, CHANGED)
    shell = Shell(home, {"MEMORIA_WORKSPACE": str(m.settings.workspace)})
    ground = {"state": "changed", "commits": 1}
    assert shell.json("review")["moved"] == [{"id": moved.id, "text": SAID, "ground": ground}]
    assert "changed since (1 commit)" in shell("review").out
    assert "changed since (1 commit)" in shell("show", moved.id).out
    assert "changed since (1 commit)" in shell("search", QUESTION).out


async def test_the_users_confirmation_binds_what_still_holds_to_the_files_as_they_are(
    m: Memoria, project: MadeRepository, home: Path
) -> None:
    remembered = await m.remember(SAID)
    bind(m)
    shell = Shell(home, {"MEMORIA_WORKSPACE": str(m.settings.workspace)})
    for still in ("min(5, LIMIT)", "max(5, LEAST)"):
        project.commit({"client.py": CLIENT.replace("TIMEOUT = 5", f"TIMEOUT = {still}")})
        await m.revise_memory(remembered.id, "confirm")  # not by the user
        assert [one.id for one in await m.list_moved()] == [remembered.id]
        shell("revise", remembered.id, "confirm")
        assert await m.list_moved() == []
        bind(m)
        assert await find_mark(m) == GroundMark(state="unchanged")
    again = shell("revise", remembered.id, "confirm").out
    assert "files it names count as of now" in again
    assert "Take it back" not in again


async def test_a_review_of_all_projects_leaves_private_ones_out(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember(SAID)
    bind(m)
    project.commit({"client.py": CLIENT.replace("5", "30")})
    everywhere = m.settings.model_copy(update={"workspace": EVERYWHERE})
    async with memoria.open(settings=everywhere, reads_queue=False) as seen:
        assert [one.content for one in await seen.list_moved()] == [SAID]
    private = everywhere.model_copy(update={"private_workspaces": (m.settings.workspace,)})
    async with memoria.open(settings=private, reads_queue=False) as seen:
        assert await seen.list_moved() == []


async def test_a_context_package_and_what_is_shown_unasked_have_the_marks(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember(SAID)
    bind(m)
    project.commit({"client.py": CLIENT.replace("5", "30")})
    assert "changed since (1 commit)" in (await m.build_context(QUESTION)).text
    assert "changed since (1 commit)" in await m.recall_unasked(
        "How long is the default timeout, then, in client.py?"
    )


async def test_the_library_over_http_reads_the_marks(m: Memoria, project: MadeRepository) -> None:
    kept = await m.remember(SAID)
    bind(m)
    project.commit({"client.py": CLIENT.replace("5", "30")})
    found = write_conclusions(await m.search_memory(QUESTION))
    assert [read_hit(hit).ground for hit in found["hits"]] == [CHANGED]
    assert read_memory(write_lookup(await m.get_memory(kept.id))).ground == CHANGED


async def test_a_night_binds_what_nobody_has_looked_at(m: Memoria, project: MadeRepository) -> None:
    await m.remember(SAID)
    nowhere = m.settings.model_copy(update={"workspace": None})
    planned = await to_thread.run_sync(lambda: dry_run(nowhere, ["bind_files"]))
    done = await to_thread.run_sync(lambda: run_nightly(nowhere, ["bind_files"]))
    assert (planned.steps[0].planned, done.steps[0].outcomes) == (1, {"done": 1})
    project.commit({"client.py": CLIENT.replace("5", "30")})
    assert await find_mark(m) == CHANGED


async def test_files_are_bound_at_once_where_that_is_asked_for(m: Memoria) -> None:
    await m.remember(SAID)
    await m.bind_files()
    assert await find_mark(m) == GroundMark(state="unchanged")


async def test_where_it_is_switched_off_nothing_is_read(m: Memoria) -> None:
    await m.remember(SAID)
    off = m.settings.model_copy(update={"grounds": False})
    async with memoria.open(settings=off, reads_queue=False) as unread:
        await unread.bind_files()
        assert (await to_thread.run_sync(lambda: run_nightly(off))).state == "finished"
        assert await find_mark(unread) is None
    assert await find_mark(m) is None


async def test_a_caller_learns_nothing_of_a_folder_by_its_name(
    m: Memoria, project: MadeRepository, tmp_path: Path
) -> None:
    unseen = MadeRepository(tmp_path / "unseen")
    unseen.commit({"client.py": CLIENT})
    await m.remember(SAID, workspace=str(unseen.folder))
    assert not worker_of(m).catch_up(m.tenant, str(unseen.folder))
    other = Memoria(m._home.for_tenant("ben"), LIBRARY)  # noqa: SLF001  (as a server does)
    assert other.settings.workspace == m.settings.workspace
    await other.remember(SAID)
    worker_of(m).catch_up("ben", str(m.settings.workspace))
    assert await find_mark(other) is None
    assert not other.settings.grounds
    assert project.folder.is_dir()


async def test_a_process_in_a_worktree_reads_that_worktree(
    m: Memoria, project: MadeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await m.remember(SAID)
    bind(m)
    other = tmp_path / "shop-other"
    own = project.folder / ".git" / "worktrees" / "other"
    own.mkdir(parents=True)
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {own}\n")
    head = (project.folder / ".git" / "refs" / "heads" / "master").read_text()
    texts = {"HEAD": head, "commondir": "../..\n", "gitdir": f"{other / '.git'}\n"}
    for name, text in texts.items():
        (own / name).write_text(text)
    (other / "client.py").write_text(CLIENT.replace("5", "30"))
    assert await find_mark(m) == GroundMark(state="unchanged")
    monkeypatch.chdir(other)
    async with memoria.open(settings=m.settings, reads_queue=False) as beside:
        assert await find_mark(beside) == GroundMark(state="changed")


async def test_what_could_not_be_read_for_a_moment_is_bound_later(
    m: Memoria, project: MadeRepository
) -> None:
    objects = project.folder / ".git" / "objects"
    await m.remember(SAID)
    objects.rename(objects.with_name("away"))
    await m.bind_files()
    objects.with_name("away").rename(objects)
    await m.bind_files()
    assert await find_mark(m) is None
    worker_of(m)._put_off.clear()  # noqa: SLF001  (as after a while)
    await m.bind_files()
    assert await find_mark(m) == GroundMark(state="unchanged")


async def test_a_memory_from_before_the_first_commit_is_bound_after_it(
    home: Path, tmp_path: Path
) -> None:
    made = MadeRepository(tmp_path / "new")
    async with memoria.open(settings=make_settings(home, made), reads_queue=False) as m:
        await m.remember(SAID)
        await m.bind_files()
        made.commit({"client.py": CLIENT})
        await m.bind_files()
        assert await find_mark(m) == GroundMark(state="unchanged")


async def test_while_the_folder_is_away_nothing_is_told_as_gone(
    m: Memoria, project: MadeRepository
) -> None:
    await m.remember(SAID)
    bind(m)
    assert await find_mark(m) == GroundMark(state="unchanged")
    away = project.folder.with_name("elsewhere")
    project.folder.rename(away)
    assert await find_mark(m) == GroundMark(state="not checked")
    away.rename(project.folder)
    assert await find_mark(m) == GroundMark(state="unchanged")
