"""What an agent was shown in a session: noted by ids, read back with what became of them."""

import json
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.bare.shown import FORMER, MOST_BYTES, SHOWN, erase_shown, note_shown, read_shown
from memoria.model import COMMAND_LINE, Channel, Trust

ASKED, FACT = "Which port does the shop use?", "The shop listens on port 8080"
AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="codex", session="s1")


@pytest.fixture
def chosen(home: Path) -> Settings:
    return Settings.from_values(home=home, embedder="off")


def notes(home: Path) -> str:
    return "".join(file.read_text() for file in home.glob("*.notes"))


async def show(m: Memoria, *ids: str | None) -> None:
    await m.with_channel(AGENT).told.note_shown("search", filter(None, ids))


async def test_what_was_shown_comes_back_with_the_users_words_before_it_and_its_records(
    chosen: Settings, home: Path
) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        memory_id = (await m.remember(FACT)).id
        said = await m.record_conversation([{"role": "user", "content": ASKED}], session_id="s1")
        await show(m, memory_id, said.turns[0].id)
        await m.revise_memory(memory_id, "correct", "The shop listens on port 9090")
        (one,) = (await m.told.list_shown("s1")).showings
        other = await m.told.list_shown("s2")
    memory, turn = one.records
    assert (one.way, other.total) == ("search", 0)
    assert memory.memory is not None
    assert memory.memory.content == "The shop listens on port 9090"
    assert turn.turn is not None
    assert one.after is not None
    assert one.after.content == turn.turn.content == ASKED
    assert not any(words in notes(home) for words in (ASKED, FACT, "s1"))


async def test_an_archived_memory_is_still_found(chosen: Settings) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        memory_id = (await m.remember(FACT)).id
        await show(m, memory_id)
        await m.revise_memory(memory_id, "archive")
        (one,) = (await m.told.list_shown("s1")).showings
    assert one.records[0].memory is not None
    assert one.records[0].memory.validity == "archived"


async def test_a_forget_takes_the_record_out_of_the_notes(chosen: Settings, home: Path) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        gone, stays = [(await m.remember(text)).id for text in (FACT, "The office is in Leeds")]
        await show(m, gone, stays)
        await show(m, gone)
        await m.forget_memory([gone])
        page = await m.told.list_shown("s1")
        assert [record.id for one in page.showings for record in one.records] == [stays]
        assert gone[-12:] not in notes(home)
        await m.forget_memory(everything=True)
    assert notes(home) == ""


async def test_nothing_is_noted_in_private_time(chosen: Settings, home: Path) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        memory_id = (await m.remember(FACT)).id
        await m.private.turn_on()
        await show(m, memory_id)
    assert notes(home) == ""


async def test_whoever_searches_is_answered_though_nothing_can_be_noted(
    chosen: Settings, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / SHOWN).mkdir(parents=True)
    async with memoria.open(settings=chosen) as m:
        await show(m, "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e01")
        assert "not noted" in caplog.text


def test_notes_take_two_files_of_bounded_size_at_most(tmp_path: Path) -> None:
    home, ids = str(tmp_path), [f"{n:036d}" for n in range(100)]
    written = 0
    while written < 3 * MOST_BYTES:
        note_shown(home, "default", "s1", "search", ids)
        written += (tmp_path / SHOWN).stat().st_size if written == 0 else 1500
    sizes = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert set(sizes) <= {SHOWN, FORMER}
    assert all(size < MOST_BYTES + 4096 for size in sizes.values())


def test_a_cut_line_and_one_of_another_version_hide_no_other(tmp_path: Path) -> None:
    home, own = str(tmp_path), "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e01"
    note_shown(home, "default", "s1", "search", [own])
    with (tmp_path / SHOWN).open("a") as file:
        file.write(json.dumps({"in": "x", "ids": "none"}) + "\n" + '{"at": 1, "i')
    assert [one["ids"] for one in read_shown(home, "default", "s1")] == [[own[-12:]]]
    erase_shown(home, "default", [own])
    assert read_shown(home, "default", "s1") == []
