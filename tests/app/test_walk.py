"""Lists for a person of however much there is: memories by cursor, and a memory's newest turns."""

from pathlib import Path

import pytest

import memoria
from memoria import Settings
from memoria.errors import InvalidInputError
from memoria.model.provenance import COMMAND_LINE, MemoryRecord


async def test_a_walk_meets_each_memory_once_whatever_is_changed_meanwhile(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path, embedder="off", time_zone="UTC")
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        for n in range(7):
            await m.remember(f"Bay {n} has {n} berths.", valid_from="2026-03-02", workspace="port")
        met, cursor = list[str](), None
        while True:
            stretch = await m.walk_memories(workspace="port", cursor=cursor, limit=3)
            met += [one.id for one in stretch.memories]
            cursor = stretch.cursor
            if cursor is None:
                break
            await m.revise_memory(met[-1], "correct", f"Bay of {len(met)} has a crane.")
        elsewhere = await m.walk_memories(workspace="garden")
        everywhere = await m.walk_memories(workspace="*", limit=500)
        with pytest.raises(InvalidInputError, match="Leave it out to begin"):
            await m.walk_memories(cursor="7")
    assert (len(met), len({*met})) == (7, 7)
    assert (elsewhere.memories, len(everywhere.memories)) == ((), 7)


async def test_a_memory_is_read_with_its_wordings_and_its_newest_turns(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path, embedder="off", time_zone="UTC")
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        words = "We paint the hull in May."
        turns = [
            {"role": "user", "content": words, "session_id": f"s{n}", "at": f"2026-03-0{n}"}
            for n in range(1, 6)
        ]
        said = [turn.id for turn in (await m.record_conversation(turns)).turns]
        kept = [await m.remember(words, turn_id=one) for one in said]
        whole = await m.provenance.get(kept[0].id)
        bounded = await m.provenance.get(kept[0].id, most=3)
        await m.revise_memory(kept[0].id, "upvote")
        await m.revise_memory(kept[0].id, "pin")
        history = await m.provenance.history(kept[0].id, most=1)
    assert isinstance(whole, MemoryRecord)
    assert isinstance(bounded, MemoryRecord)
    assert [one.turn_id for one in whole.evidence] == said
    assert [one.turn_id for one in bounded.evidence] == [said[0], *said[-2:]]
    assert bounded.versions[0].said is not None
    assert "pin" in {getattr(one, "action", None) for one in history.events}
    assert "upvote" not in {getattr(one, "action", None) for one in history.events}
