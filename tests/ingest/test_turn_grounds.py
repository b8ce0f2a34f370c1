"""Turns of the record that show lines of files, or speak of them, say whether these still stand."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from tests.repositories import MadeRepository, make_settings
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings
from memoria.model import now_millis
from memoria.model.grounds import GroundMark

CLIENT = "TIMEOUT = 5\nRETRIES = 3\n\n\ndef fetch(url):\n    return get(url, timeout=TIMEOUT)\n"
SLOW = CLIENT.replace("= 5", "= 30")
SHOWN = {
    "role": "tool",
    "tool_name": "Bash",
    "tool_args": {"command": "grep -rn TIMEOUT ."},
    "tool_result": "./client.py:1:TIMEOUT = 5\n./client.py:6:    return get(url, timeout=TIMEOUT)",
}
QUESTION = "What is TIMEOUT in client.py?"
UNCHANGED, CHANGED = GroundMark(state="unchanged"), GroundMark(state="changed", commits=1)
GONE = GroundMark(state="gone", commits=1)
_HOUR_S = 3_600


@pytest.fixture
def project(tmp_path: Path) -> MadeRepository:
    made = MadeRepository(tmp_path / "shop")
    before = now_millis() // 1000 - _HOUR_S
    made.commit({"client.py": CLIENT, "other.py": "TIMEOUT_OF_OTHERS = 9\n"}, at=before)
    return made


@pytest.fixture
def settings(home: Path, project: MadeRepository) -> Settings:
    return make_settings(home, project)


@pytest.fixture
async def m(settings: Settings) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=settings, reads_queue=False) as opened:
        yield opened


def commit(project: MadeRepository, files: dict[str, str | None]) -> None:
    """Commit after all that is recorded, whose commit is told by its time."""
    project.commit(files, at=now_millis() // 1000 + _HOUR_S)


async def record(m: Memoria, *turns: dict[str, Any]) -> None:
    await m.record_conversation(list(turns), session_id="s1")


def say(words: str, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": words}


def read(path: str, result: str) -> dict[str, Any]:
    call = {"tool_name": "Read", "tool_args": {"file_path": path}}
    return {"role": "tool", **call, "tool_result": result}


async def list_marks(m: Memoria, question: str = QUESTION) -> list[GroundMark | None]:
    found = await m.search_conversation_traces(question)
    return [hit.ground for hit in found.hits if hit.source.role != "user"]


async def test_lines_that_a_command_showed_are_unchanged_while_they_stand(
    m: Memoria, project: MadeRepository
) -> None:
    await record(m, SHOWN)
    assert await list_marks(m) == [UNCHANGED]
    commit(project, {"client.py": CLIENT.replace("RETRIES = 3", "RETRIES = 9")})
    assert await list_marks(m) == [UNCHANGED]


async def test_a_shown_line_that_reads_otherwise_now_has_changed(
    m: Memoria, project: MadeRepository
) -> None:
    await record(m, SHOWN)
    (project.folder / "client.py").write_text(SLOW, "utf-8")
    assert await list_marks(m) == [GroundMark(state="changed")]
    commit(project, {"client.py": SLOW})
    assert await list_marks(m) == [CHANGED]


async def test_of_several_files_only_the_lines_that_were_shown_count(
    m: Memoria, project: MadeRepository
) -> None:
    listed = {**SHOWN, "tool_args": {"command": "ls; grep -rn RETRIES ."}}
    await record(m, {**listed, "tool_result": "client.py\nother.py\n./client.py:2:RETRIES = 3"})
    commit(project, {"client.py": SLOW, "other.py": None})
    assert await list_marks(m, "Where is RETRIES in client.py?") == [UNCHANGED]


async def test_lines_of_a_deleted_file_are_gone_and_a_renamed_one_is_followed(
    m: Memoria, project: MadeRepository
) -> None:
    path = str(project.folder / "client.py")
    await record(m, read(path, "1\tTIMEOUT = 5\n2\tRETRIES = 3\n"))
    commit(project, {"client.py": None, "net/http.py": CLIENT})
    assert await list_marks(m) == [UNCHANGED]
    commit(project, {"net/http.py": None})
    (mark,) = await list_marks(m)
    assert mark is not None
    assert mark.state == "gone"


async def test_what_was_said_of_a_changed_line_says_so_and_of_another_line_nothing(
    m: Memoria, project: MadeRepository
) -> None:
    await record(m, say("The TIMEOUT_OF_OTHERS in other.py is 9 seconds."))
    await record(m, say("I have read other.py, which sets an hour for no client."))
    commit(project, {"other.py": "# Others\nTIMEOUT_OF_OTHERS = 10\n"})
    found = await m.search_conversation_traces("other.py")
    marks = {hit.text[:5]: hit.ground for hit in found.hits}
    assert marks == {"The T": CHANGED, "I hav": None}


async def test_what_was_said_of_a_deleted_file_is_gone(m: Memoria, project: MadeRepository) -> None:
    await record(m, say("The list of clients is in other.py."))
    commit(project, {"other.py": None})
    assert await list_marks(m, "Where is the list of clients?") == [GONE]


async def test_nothing_is_claimed_of_files_that_the_session_itself_had_changed(
    m: Memoria, project: MadeRepository
) -> None:
    edit = {"file_path": "other.py", "old_string": "= 9", "new_string": "= 10"}
    await record(
        m,
        {"role": "tool", "tool_name": "Edit", "tool_args": edit, "tool_result": "done"},
        say("TIMEOUT_OF_OTHERS in other.py is 10 now."),
        read("other.py", "TIMEOUT_OF_OTHERS = 9"),
    )
    commit(project, {"other.py": "TIMEOUT_OF_OTHERS = 10\n"})
    assert await list_marks(m, "TIMEOUT_OF_OTHERS in other.py") == [None] * 3


async def test_lines_that_a_diff_shows_as_removed_were_not_shown_as_standing(
    m: Memoria, project: MadeRepository
) -> None:
    diff = "--- a/client.py\n+++ b/client.py\n@@\n-TIMEOUT = 5\n+TIMEOUT = 30\n"
    await record(m, {**SHOWN, "tool_args": {"command": "git diff"}, "tool_result": diff})
    commit(project, {"client.py": SLOW})
    assert await list_marks(m) == [None]


async def test_a_changed_turn_stands_behind_an_unchanged_one(
    m: Memoria, project: MadeRepository
) -> None:
    await record(m, SHOWN, read("other.py", "TIMEOUT_OF_OTHERS = 9, what is it in client.py?\n"))
    await record(m, read("client.py", "RETRIES = 3"))
    await m.remember("RETRIES in client.py is 3.")
    await m.bind_files()
    before = [hit.ground for hit in (await m.search_memory(QUESTION)).hits if hit.ground]
    assert set(before) == {UNCHANGED}
    commit(project, {"client.py": SLOW})
    after = [hit.ground for hit in (await m.search_memory(QUESTION)).hits if hit.ground]
    assert after == sorted(after, key=lambda mark: mark.state != "unchanged")
    assert CHANGED in after


async def test_an_answer_and_a_context_package_tell_the_mark(
    m: Memoria, project: MadeRepository
) -> None:
    await record(m, SHOWN)
    commit(project, {"client.py": SLOW})
    assert "changed since (1 commit)" in (await m.build_context(QUESTION)).text


async def test_an_open_server_has_looked_at_calls_before_one_is_shown(
    settings: Settings, project: MadeRepository
) -> None:
    async with memoria.open(settings=settings) as opened:
        await record(opened, SHOWN)
        commit(project, {"client.py": SLOW})
        worker, workspace = opened._home.grounds, settings.workspace  # noqa: SLF001
        assert worker is not None
        assert workspace is not None
        await to_thread.run_sync(lambda: worker.catch_up(opened.tenant, workspace))
        assert await list_marks(opened) == [CHANGED]


async def test_an_open_server_soon_tells_what_it_had_not_looked_at(
    settings: Settings, project: MadeRepository
) -> None:
    async with memoria.open(settings=settings) as opened:
        await record(opened, say("The TIMEOUT_OF_OTHERS in other.py is 9 seconds."))
        commit(project, {"other.py": "TIMEOUT_OF_OTHERS = 10\n"})
        with anyio.fail_after(60):
            while (marks := await list_marks(opened, "other.py")) != [CHANGED]:
                assert marks == [GroundMark(state="not checked")]


async def test_a_call_from_before_the_first_commit_is_not_checked(m: Memoria) -> None:
    await record(m, {**SHOWN, "at": "2020-01-02T03:04:05Z"})
    assert await list_marks(m) == [GroundMark(state="not checked")]


async def test_the_record_of_a_folder_that_is_away_has_no_marks(
    m: Memoria, project: MadeRepository
) -> None:
    await record(m, SHOWN)
    project.folder.rename(project.folder.with_name("elsewhere"))
    async with memoria.open(settings=m.settings, reads_queue=False) as anew:
        assert await list_marks(anew) == [None]


async def test_a_turn_has_a_mark_and_an_imported_commit_of_the_same_words_none(
    m: Memoria, project: MadeRepository
) -> None:
    words = "TIMEOUT = 5 stands in client.py."
    before = now_millis() // 1000 - _HOUR_S // 2
    project.commit({"other.py": "TIMEOUT_OF_OTHERS = 8\n"}, words, at=before)
    shell = Shell(m.settings.home_path)
    await to_thread.run_sync(shell, "import", "git", str(project.folder))
    await record(m, say(words))
    commit(project, {"client.py": SLOW})
    found = await m.search_conversation_traces(words)
    marks = {hit.source.session_id: hit.ground for hit in found.hits if words in hit.text}
    assert marks.pop("s1") == CHANGED
    assert [*marks.values()] == [None]
