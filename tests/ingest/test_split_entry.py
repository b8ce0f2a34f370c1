"""What is too much for a model at once is read in halves, and nothing of it twice."""

import re
from pathlib import Path

import pytest
from tests.ingest.play import add, answers, entries, memories, opened, said
from tests.llm.scripted import Asked, Behaviour, ScriptedModel, fails, hangs, says

from memoria.model import QueueState

_TURN = re.compile(r"^\[(\d+)\] user: (fact \w+)", re.MULTILINE)
_TURNS = tuple(f"fact {letter}" for letter in "abcde")
_TOO_LONG = fails(400, message="request (9 tokens) exceeds the available context size (8 tokens)")
_CUT = says('{"operations": [', finish="length")


def at_most(turns: int, otherwise: Behaviour) -> ScriptedModel:
    """A model that reads no more turns at once."""

    def answer(asked: Asked) -> object:
        found = _TURN.findall(asked.text)
        if len(found) > turns:
            return otherwise
        return {"operations": [add(said, int(n), predicate=said) for n, said in found]}

    return ScriptedModel(answer=answers(extract=answer))


@pytest.mark.parametrize("otherwise", [_TOO_LONG, _CUT], ids=["question", "answer"])
async def test_a_stretch_that_is_too_long_is_read_in_halves(
    home: Path, otherwise: Behaviour
) -> None:
    with at_most(2, otherwise) as model:
        async with opened(home, model) as m:
            await said(m, *_TURNS)
            found = await entries(m)
            assert sorted(x.content for x in await memories(m)) == list(_TURNS)
    assert {entry.state for entry in found} == {QueueState.DONE}
    spans = {(e.first_index, e.last_index): e.outcome for e in found}
    divided = [span for span, came in spans.items() if came == "too much at once, read in halves"]
    assert sorted(divided) == [(0, 2), (0, 4)]
    assert sorted(spans.keys() - set(divided)) == [(0, 1), (2, 2), (3, 4)]


async def test_a_stretch_that_is_never_answered_in_time_is_read_in_halves(home: Path) -> None:
    with at_most(3, hangs()) as model:
        async with opened(home, model, llm_timeout_s=0.2, llm_attempts=1) as m:
            await said(m, *_TURNS)
            assert sorted(x.content for x in await memories(m)) == list(_TURNS)


async def test_one_turn_that_is_too_long_is_given_up_with_what_to_do(home: Path) -> None:
    with at_most(0, _TOO_LONG) as model:
        async with opened(home, model, llm_attempts=1) as m:
            await said(m, "fact a")
            (entry,) = await m.queue.list_entries()
    assert entry.state is QueueState.DEAD
    assert "Serve it with a larger context" in str(entry.last_error)
