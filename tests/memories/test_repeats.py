"""A call that is noted under a key is known again, and nothing of it can be read in the home."""

from pathlib import Path

import pytest
from tests.forgetting.remains import remains

import memoria
from memoria.errors import InvalidInputError
from memoria.model import Channel, Trust

KEY, REQUEST = "umbrella-key-17", "keep that the heron nests in the boathouse"
PROGRAM = Channel(name="http", trust=Trust.REPORTED, client="notebook")


@pytest.mark.anyio
async def test_a_call_is_new_once_under_its_key_and_another_is_refused(home: Path) -> None:
    async with memoria.open(home, "ann", channel=PROGRAM) as memory:
        first = await memory.note_call(KEY, REQUEST)
        assert not first.is_repeated
        assert await memory.note_call(KEY, REQUEST) == (first.at, True)
        with pytest.raises(InvalidInputError, match="another call was made with this key"):
            await memory.note_call(KEY, "keep something else")
        assert not (await memory.note_call("another key", "keep something else")).is_repeated
    async with memoria.open(home, "ben", channel=PROGRAM) as memory:
        assert not (await memory.note_call(KEY, REQUEST)).is_repeated


@pytest.mark.anyio
async def test_of_a_key_and_its_call_no_word_is_kept(home: Path) -> None:
    async with memoria.open(home, "ann", channel=PROGRAM) as memory:
        await memory.note_call(KEY, REQUEST)
        (line,) = [one for one in await memory.provenance.list_actions() if one.action == "call"]
        assert (line.by, line.client) == ("by notebook", "notebook")
    assert remains(home, line.subject)
    assert remains(home, KEY) == set()
    assert remains(home, "heron") == set()


@pytest.mark.anyio
async def test_a_vote_with_its_key_counts_once_and_a_failed_one_is_not_noted(home: Path) -> None:
    async with memoria.open(home, channel=PROGRAM) as memory:
        kept = await memory.remember("The heron nests in the boathouse.")
        for key, votes in [("one", 1), ("one", 1), ("two", 2)]:
            assert (await memory.revise_memory(kept.id, "upvote", key=key)).upvotes == votes
        with pytest.raises(memoria.errors.NotFoundError):
            await memory.revise_memory("0" * 36, "upvote", key="three")
        assert (await memory.revise_memory(kept.id, "upvote", key="three")).upvotes == 3
