"""What was forgotten is in no page of the full text, however much was forgotten before."""

from pathlib import Path

import pytest
from tests.forgetting.remains import remaining

from memoria import Memoria

SAID = "Password hint: mymaiden is Zylberstein, born Krotoszynia 19470312"
WORDS = ("mymaiden", "Zylberstein", "Krotoszynia", "19470312")


async def record(m: Memoria, many: int) -> list[str]:
    """So many turns, the first of them the one with the words."""
    others = (f"Anna keeps the zzword{n:04d}q in cellar {n}, box {n * 7}." for n in range(1, many))
    turns = []
    for text in (SAID, *others):
        receipt = await m.record_conversation(
            [{"role": "user", "content": text, "session_id": "cellars"}]
        )
        turns += [turn.id for turn in receipt.turns if turn.id]
    return turns


@pytest.mark.parametrize("many", [40, 60, 200])
async def test_no_word_is_left_of_what_is_forgotten_in_a_home_that_has_shrunk(
    memory: Memoria, home: Path, many: int
) -> None:
    said, first, *others = await record(memory, many)
    for ids in ([first], others[8:], [others[3]], [said]):
        forgotten = await memory.forget_memory(ids, include_source=True)
        assert forgotten.scrubbed
    assert remaining(home, WORDS) == set()
    left = await memory.search_conversation_traces("Anna keeps the zzword0003q in which cellar?")
    assert "zzword0003q" in left.hits[0].text
