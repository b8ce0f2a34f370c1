"""What is written comes back as it was, whatever it is made of."""

import pytest

import memoria
from memoria import Memoria
from memoria.errors import InvalidInputError, MemoriaError
from memoria.model import ModelCall
from memoria.store.engine import Store

TEXTS = {
    "an emoji of many parts": "👩‍👩‍👧‍👦 and 🏳️‍🌈",
    "right to left": "\u202eשלום\u202c مرحبا",
    "marks that combine": "e\u0301 is not é",
    "the last character": "\U0010ffff and \uffff",
    "controls": "\x01\x1f\x7f\x85",
    "spaces": " \t\u00a0 ",
    "percent and colon": "100 % of :name, %s and %(x)s ?",
    "quotes": 'O\'Brien said "no"; -- {braces} \\ \\x00',
    "long": "海 sea " * 150_000,
}
EDGES = [0, 1, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1]


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_comes_back_as_it_was(store: Store, name: str) -> None:
    text = TEXTS[name]
    with store.write("ann") as tx:
        tx.scratchpads.put("s", text, [text], now=1, keep=5)
    with store.read("ann") as tx:
        found = tx.scratchpads.get("s")
    assert found is not None
    assert (found.current_focus, [one.task for one in found.completed]) == (text, [text])


def test_nothing_and_an_empty_text_are_told_apart(store: Store) -> None:
    calls = [_call(detail=""), _call(detail=None)]
    for call in calls:
        with store.write("ann") as tx:
            tx.ledger.add(call)
        with store.read("ann") as tx:
            assert tx.ledger.newest() == call


@pytest.mark.parametrize("number", EDGES)
def test_a_number_of_64_bits_comes_back_as_it_was(store: Store, number: int) -> None:
    with store.write("ann") as tx:
        tx.scratchpads.put("s", "focus", [], now=number, keep=5)
    with store.read("ann") as tx:
        found = tx.scratchpads.get("s")
    assert found is not None
    assert found.updated_at == number


def test_a_number_of_more_bits_is_refused_and_nothing_is_written(store: Store) -> None:
    with pytest.raises(MemoriaError), store.write("ann") as tx:  # noqa: PT012
        tx.scratchpads.put("before", "focus", [], now=1, keep=5)
        tx.scratchpads.put("s", "focus", [], now=2**63, keep=5)
    with store.read("ann") as tx:
        assert tx.scratchpads.get("before") is None


def _call(detail: str | None) -> ModelCall:
    return ModelCall(
        at=1,
        purpose="p",
        prompt="p/1",
        model="m",
        input_tokens=1,
        output_tokens=1,
        outcome="ok",
        detail=detail,
    )


async def test_a_turn_keeps_a_nul_and_is_found_by_the_words_around_it(memory: Memoria) -> None:
    turn = {"role": "user", "content": "tea\0 with milk", "session_id": "s"}
    await memory.record_conversation([turn])
    found = await memory.search_conversation_traces("milk")
    assert [hit.text for hit in found.hits] == ["tea\0 with milk"]


async def test_a_name_never_has_a_nul_whatever_the_engine(memory: Memoria) -> None:
    name = "a\0b"
    turn = {"role": "user", "content": "Tea is poured", "session_id": name, "message_id": name}
    call = {"role": "tool", "tool_name": name, "tool_args": {name: name}, "tool_result": name}
    await memory.record_conversation([{**turn, "speaker": name}, call], session_id=name)
    await memory.remember("Coffee is poured", entities=[name], subject=name, task=name)
    assert (await memory.search_memory("poured", workspace=name, task=name)).hits
    found = await memory.search_conversation_traces("poured")
    assert found.hits[0].source.speaker == "a\ufffdb"
    in_session = await memory.search_conversation_traces("poured", session_id=name)
    assert [hit.tool and hit.tool.name for hit in in_session.hits] == ["a\ufffdb"]
    await memory.remember("Cocoa is poured", workspace=name, scope="project")
    assert (await memory.search_memory("cocoa", workspace=name)).hits
    with pytest.raises(InvalidInputError, match="NUL"):
        async with memoria.open(settings=memory.settings.model_copy(update={"tenant": name})):
            pass
