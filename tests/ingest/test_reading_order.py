"""Of a conversation nothing is read before what was said earlier in it."""

from pathlib import Path

from tests.ingest.play import opened, purpose_of, said
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Settings

SAID = "{}: the roof came up again, and Ida thinks that it needs new tiles before winter."


async def read_backlog(
    home: Path, model: ScriptedModel, segments: list[tuple[str, str, int]]
) -> list[list[str]]:
    """The names of the segments that each request shows, in its order.

    Args:
        home: where they are recorded before anything is read.
        model: who reads them.
        segments: the name, the session and the number of turns of each.
    """
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        for name, session, turns in segments:
            await said(m, *[SAID.format(name)] * turns, session=session)
    async with opened(home, model, extraction_turns=6, llm_concurrency=1) as m:
        await m.queue.fill()
        await m.wait_until_idle(60)
    names = [name for name, _, _ in segments]
    shown = [
        one.text.partition("The turns to read")[2]
        for one in model.requests
        if purpose_of(one) == "extract"
    ]
    return [
        sorted((n for n in names if f"{n}: the roof" in text), key=text.index) for text in shown
    ]


async def test_a_short_segment_is_not_read_before_a_long_one_of_the_same_session(
    home: Path, model: ScriptedModel
) -> None:
    segments = [("FIRST", "a", 2), ("LONG", "b", 5), ("AFTER", "b", 2), ("OTHER", "c", 2)]
    read = await read_backlog(home, model, segments)
    order = [name for request in read for name in request]
    assert sorted(order) == sorted(name for name, _, _ in segments)
    assert order.index("LONG") < order.index("AFTER")
    assert read[0] == ["FIRST", "OTHER"]


async def test_segments_of_a_session_are_read_together_before_what_was_said_after_them(
    home: Path, model: ScriptedModel
) -> None:
    segments = [("MARCH", "a", 2), ("APRIL", "a", 2), ("JUNE", "b", 2), ("JULY", "c", 2)]
    read = await read_backlog(home, model, segments)
    assert read == [["MARCH", "APRIL", "JUNE"], ["JULY"]]
