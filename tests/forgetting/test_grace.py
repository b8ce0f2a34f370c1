"""What is forgotten with a period of grace is hidden everywhere, comes back whole, or is erased."""

from pathlib import Path

import pytest
from tests.databases import engine_settings, read_text, write_text
from tests.forgetting.checker import read_tables, rows_without_sources
from tests.forgetting.remains import remains
from tests.forgetting.test_forget import CHAT, SECRET, WORD, tell_everything

import memoria
from memoria.app import Memoria, nightly
from memoria.app.upkeep import back_up
from memoria.config import Settings
from memoria.errors import ForgottenError, InvalidInputError, NotFoundError
from memoria.model import DAY_MS, use_clock
from memoria.model.forgetting import ForgetSelection

NOON = 1_795_176_000_000
LATER = NOON + 8 * DAY_MS
HIDDEN = {"hidden_changes.image", "hidden_texts.text", "hidden_files.content"}
PASSING = {
    "audit_log", "settings", "tenants", "embedding_backlog", "sqlite_sequence", "events", "files",
}  # fmt: skip
"""Tables that go on, or are looked at by themselves; no word is in any other of them."""


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, embedder="off", forget_grace_days=7)


def state_of(home: Path) -> dict[str, list[str]]:
    """Every row of the tables that a forget changes, and what full text says."""
    tables = read_tables(home)
    for row in tables["documents"]:
        row.pop("changed")
    ours = ("search_index", "postings", "hidden", "forget", "vectors", "raw_chunks")
    state = {
        name: sorted(map(repr, rows))
        for name, rows in tables.items()
        if not name.startswith(ours) and name not in PASSING
    }
    words = "search_index_content" if "search_index_content" in tables else "search_index"
    state["full text"] = sorted(map(repr, tables[words]))
    state["postings"] = sorted(map(repr, tables.get("postings", ())))
    state["texts"] = sorted(repr(row["hash"]) for row in tables["raw_chunks"])
    return state


@pytest.mark.parametrize("how", ["memory", "sources", "everything"])
async def test_what_is_hidden_is_seen_nowhere_and_comes_back_as_it_was(
    settings: Settings, home: Path, how: str
) -> None:
    with use_clock(lambda: NOON):
        async with memoria.open(settings=settings) as m:
            memory_id = await tell_everything(m)
            said = (await m.search_conversation_traces(WORD)).hits[0].id
            before, file = state_of(home), read_text(settings, "USER.md")
            selection = {
                "memory": ForgetSelection(ids=(memory_id,)),
                "sources": ForgetSelection(ids=(memory_id,), include_source=True),
                "everything": ForgetSelection(everything=True),
            }[how]
            report = (await m.forget_memory(selection.with_token(None))).report
            assert report is not None
            assert (report.state, report.purge_at) == ("hidden", NOON + 7 * DAY_MS)
            await assert_hidden(m, home, memory_id, said, is_record_kept=how == "memory")
            assert (await m.undo_forget(report.id)).state == "restored"
            assert state_of(home) == before
            assert read_text(settings, "USER.md") == file
            assert not read_tables(home)["hidden_changes"]
            hits = (await m.search_memory("locker combination")).hits
            assert memory_id in {hit.id for hit in hits}
            assert (await m.get_turn(said)).turn.content == CHAT[1]["content"]
            assert (await m.remember(f"{SECRET} since May")).status == "already_known"
            with pytest.raises(InvalidInputError, match="nothing is hidden"):
                await m.undo_forget(report.id)
    assert rows_without_sources(home) == []


async def assert_hidden(
    m: Memoria, home: Path, memory_id: str, turn_id: str, *, is_record_kept: bool
) -> None:
    """No face tells it, no file and no backup has it, and nobody learns it again."""
    shown = repr((await m.search_memory(SECRET, include_history=True)).hits)
    assert not [each for each in (WORD, memory_id, turn_id) if each in shown]
    with pytest.raises(NotFoundError):
        await m.get_memory(memory_id)
    with pytest.raises(ForgottenError):
        await m.remember(SECRET)
    if is_record_kept:
        return
    assert WORD not in (await m.build_context("the locker combination")).text
    shown = repr((await m.search_conversation_traces(WORD)).hits)
    assert not [each for each in (WORD, memory_id, turn_id) if each in shown]
    with pytest.raises(NotFoundError):
        await m.get_turn(turn_id)
    assert (await m.record_conversation(CHAT[1:2])).recorded == 0
    if engine_settings(home):
        assert remains(home, WORD) == HIDDEN
        return
    assert remains(home, WORD) == HIDDEN | {"file memoria.db"}
    backup = back_up(m.settings, None, lambda _done, _total: None).path
    assert not [place for place in remains(home, WORD) if backup.name in place]


@pytest.mark.parametrize("who", ["opening", "night"])
async def test_when_the_period_is_over_it_is_erased_and_the_report_says_so(
    settings: Settings, home: Path, who: str
) -> None:
    with use_clock(lambda: NOON):
        async with memoria.open(settings=settings) as m:
            memory_id = await tell_everything(m)
            report = (await m.forget_memory([memory_id], include_source=True)).report
    assert report is not None
    with use_clock(lambda: LATER):
        if who == "night":
            nightly.run_nightly(settings, ["delete_expired"])
            assert remains(home, WORD) == set()
        async with memoria.open(settings=settings) as m:
            assert remains(home, WORD) == set()
            ended = await m.get_forget_report(report.id)
            assert (ended.state, ended.purged_at) == ("erased", LATER)
            with pytest.raises(InvalidInputError, match="nothing is hidden"):
                await m.undo_forget(report.id)
            with pytest.raises(ForgottenError):
                await m.remember(SECRET)
    assert rows_without_sources(home) == []


@pytest.mark.parametrize("everything", [False, True])
async def test_what_was_changed_since_stays_as_it_is(
    settings: Settings, home: Path, *, everything: bool
) -> None:
    async with memoria.open(settings=settings) as m:
        memory_id = await tell_everything(m)
        meant = {"everything": True} if everything else {"ids": [memory_id]}
        report = (await m.forget_memory(**meant)).report
        write_text(settings, "USER.md", "- written since\n")
        other = await m.remember("Paula's note from in between")  # takes numbers of the hidden
        said = {"role": "user", "content": "Something new", "session_id": "s", "message_id": "m9"}
        assert (await m.record_conversation([said])).recorded == 1
        assert report is not None
        await m.undo_forget(report.id)
        assert read_text(settings, "USER.md") == "- written since\n"
        assert (await m.get_memory(other.id)).content == "Paula's note from in between"
        assert (await m.get_memory(memory_id)).content == f"{SECRET} since May"
        again = await m.record_conversation([*CHAT, {**said, "message_id": "m10"}])
        assert [turn.status for turn in again.turns] == [*["already_recorded"] * 3, "recorded"]
    assert rows_without_sources(home) == []


async def test_everything_hidden_is_erased_with_the_names_of_its_places(
    settings: Settings, home: Path
) -> None:
    with use_clock(lambda: NOON):
        async with memoria.open(settings=settings) as m:
            said = {"role": "user", "content": "Hello", "session_id": "a-quokka"}
            await m.record_conversation([said], workspace="a-wombat")
            await m.forget_memory(everything=True)
    with use_clock(lambda: LATER):
        async with memoria.open(settings=settings):
            pass
    assert remains(home, "a-quokka") == remains(home, "a-wombat") == set()
