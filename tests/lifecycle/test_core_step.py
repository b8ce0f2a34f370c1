"""What people edit in the core files is what is remembered; nothing of theirs is overwritten."""

from collections.abc import Hashable
from pathlib import Path
from typing import Literal

import pytest
from tests.databases import opened_files, read_text, write_text
from tests.empty_home import lay_empty_home
from tests.lifecycle.dump import dump, store_of

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.model import (
    COMMAND_LINE,
    DAY_MS,
    Memory,
    MemoryType,
    Trust,
    Validity,
    now_millis,
    use_clock,
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=lay_empty_home(tmp_path / "home"), embedder="off")


async def told(settings: Settings, *texts: str, kind: MemoryType = MemoryType.PREFERENCE) -> None:
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        for text in texts:
            await m.remember(text, type=kind)


def memories(settings: Settings) -> dict[str, Memory]:
    """Active memories by what they say."""
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        active = [tx.memories.get(one.id) for _, one in tx.retention.list_attributes(0, 100)]
    return {memory.current.content: memory for memory in active if memory is not None}


def user(settings: Settings) -> str:
    return read_text(settings, "USER.md")


def edit(settings: Settings, text: str) -> None:
    """Save the file, as an editor does."""
    write_text(settings, "USER.md", text)


def state_of(settings: Settings) -> Hashable:
    """What changes whenever the file is written."""
    with opened_files(settings) as files:
        return files.find_state("USER.md")


async def test_a_night_writes_what_is_known_into_files_and_a_second_one_nothing(
    settings: Settings,
) -> None:
    await told(settings, "用户喜欢喝茶", "The user's editor is Helix")
    nights.run_nightly(settings)
    text = user(settings)
    assert "用户喜欢喝茶" in text
    assert "The user's editor is Helix" in text
    before = state_of(settings), dump(settings.home_path)
    again = nights.run_nightly(settings)
    assert again.steps[-1].planned == 0
    assert (state_of(settings), dump(settings.home_path)) == before


async def test_a_line_changed_one_deleted_and_one_added_are_memories_of_the_users(
    settings: Settings,
) -> None:
    await told(settings, "用户喜欢喝茶", "The user's editor is Helix", "用户的咖啡不加糖")
    nights.run_nightly(settings, ["core"])
    lines = user(settings).splitlines()
    edited = [line.replace("喝茶", "喝绿茶") for line in lines if "咖啡" not in line]
    last = max(i for i, line in enumerate(edited) if line.startswith("- "))
    edited.insert(last + 1, "- 用户不用鼠标和编辑器的菜单")
    edit(settings, "\n".join(edited) + "\n")
    run = nights.run_nightly(settings, ["core"])
    assert run.state == "finished"
    known = memories(settings)
    assert set(known) == {
        "用户喜欢喝绿茶",
        "The user's editor is Helix",
        "用户不用鼠标和编辑器的菜单",
    }
    assert {memory.current.provenance.trust for memory in known.values()} == {Trust.USER}
    assert known["用户喜欢喝绿茶"].versions[-1].content == "用户喜欢喝茶"
    assert "用户不用鼠标和编辑器的菜单" in user(settings)
    assert nights.run_nightly(settings, ["core"]).steps[-1].planned == 0


async def test_a_fact_changed_in_chat_and_in_the_file_is_a_conflict_people_see(
    settings: Settings,
) -> None:
    await told(settings, "用户喜欢喝茶")
    nights.run_nightly(settings, ["core"])
    (tea,) = memories(settings).values()
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(tea.id, "correct", content="用户喜欢喝白茶")
    edit(settings, user(settings).replace("喝茶", "喝红茶"))
    run = nights.run_nightly(settings, ["core"])
    assert any("conflict" in reason for reason in run.steps[-1].reasons.values())
    text = user(settings)
    assert "## Conflicts" in text
    assert "喝红茶" in text
    assert "喝白茶" in text
    known = memories(settings)
    assert known["用户喜欢喝白茶"].validity is Validity.ACTIVE


async def test_a_file_that_cannot_be_read_is_left_alone_and_said_so(settings: Settings) -> None:
    await told(settings, "用户喜欢喝茶")
    nights.run_nightly(settings, ["core"])
    broken = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"
    edit(settings, broken)
    run = nights.run_nightly(settings, ["core"])
    assert run.steps[-1].reduced is not None
    assert "USER.md" in run.steps[-1].reduced
    assert user(settings) == broken


async def test_undoing_a_night_puts_the_files_back_but_for_those_edited_since(
    settings: Settings,
) -> None:
    await told(settings, "用户喜欢喝茶")
    await told(settings, "Always run the linter", kind=MemoryType.RULE)
    first = nights.run_nightly(settings, ["core"])
    said = user(settings)
    await told(settings, "The user's editor is Helix")
    await told(settings, "Never push on Fridays", kind=MemoryType.RULE)
    second = nights.run_nightly(settings, ["core"])
    before = dump(settings.home_path)
    edited = read_text(settings, "MEMORY.md") + "- Commit small\n"
    write_text(settings, "MEMORY.md", edited)
    undone = nights.undo_nightly(settings, second.id, lambda _: None)
    assert undone.files == 1
    assert user(settings) == said
    assert read_text(settings, "MEMORY.md") == edited
    assert dump(settings.home_path) != before
    nights.undo_nightly(settings, first.id, lambda _: None)
    assert state_of(settings) is None


async def test_after_an_undoing_a_night_takes_nothing_for_an_edit_by_hand(
    settings: Settings,
) -> None:
    await told(settings, "用户喜欢喝茶")
    nights.undo_nightly(settings, nights.run_nightly(settings, ["core"]).id, lambda _: None)
    run = nights.run_nightly(settings, ["core"])
    assert run.steps[-1].reasons == {}
    assert list(memories(settings)) == ["用户喜欢喝茶"]
    assert "用户喜欢喝茶" in user(settings)


@pytest.mark.parametrize("action", ["pin", "upvote", "archive"])
async def test_what_a_night_made_and_the_user_changed_is_the_users(
    settings: Settings, action: Literal["pin", "upvote", "archive"]
) -> None:
    await told(settings, "用户喜欢喝茶")
    nights.run_nightly(settings, ["core"])
    edit(settings, user(settings) + "- 用户讨厌会议\n")
    run = nights.run_nightly(settings, ["core"])
    made = memories(settings)["用户讨厌会议"]
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(made.id, action)
    undone = nights.undo_nightly(settings, run.id, lambda _: None)
    assert undone.kept >= 2
    async with open_memoria(settings=settings) as m:
        assert (await m.get_memory(made.id)).versions[0].content == "用户讨厌会议"
        health = await m.health()
    assert [finding for finding in health.findings if finding.state == "error"] == []


async def test_what_has_faded_stands_below_what_is_fresh(settings: Settings) -> None:
    long_ago = now_millis() - 300 * DAY_MS
    with use_clock(lambda: long_ago):
        async with open_memoria(settings=settings) as m:
            await m.remember("The user likes skiing", type="preference", importance=0.55)
    async with open_memoria(settings=settings) as m:
        await m.remember("The user likes rowing", type="preference")
    nights.run_nightly(settings)
    text = user(settings)
    assert 0 < text.index("rowing") < text.index("skiing")
