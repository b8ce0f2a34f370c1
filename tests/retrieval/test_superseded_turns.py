"""A turn whose statement has been superseded does not stand above the memory that says it now."""

from pathlib import Path

import pytest

import memoria
from memoria import Settings

CHANGES = {
    "home": ("I live in Leeds.", "I live in York now.", "Where do I live?", "York"),
    "work": ("I work at Bosch.", "I now work for Siemens.", "Where do I work?", "Siemens"),
    "address": (
        "Please call me Prof. Adeyemi.",
        "From now on call me Temi.",
        "What does the user want to be called?",
        "Temi",
    ),
    "住处": ("我住在大理。", "我现在住在昆明了。", "我住在哪个城市？", "昆明"),
    "单位": ("我在腾讯上班。", "我现在在华为上班。", "我在哪里上班？", "华为"),
    "口味": (
        "比起红茶，我更喜欢绿茶。",
        "比起绿茶，我更喜欢红茶。",
        "我更喜欢什么茶？",
        "更喜欢红茶",
    ),
}


@pytest.mark.parametrize("case", sorted(CHANGES))
async def test_the_memory_stands_for_the_turns_of_its_former_wordings(
    home: Path, case: str
) -> None:
    before, after, question, now = CHANGES[case]
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as m:
        for session, words in (("s", before), ("t", after)):
            turn = {"role": "user", "content": words}
            await m.record_conversation([turn], "session_end", session_id=session)
        hits = (await m.search_memory(question)).hits
        assert [hit.kind for hit in hits] == ["memory"]
        assert now in hits[0].text
        traces = (await m.search_conversation_traces(question)).hits
        assert {hit.text for hit in traces} == {before, after}
        history = (await m.search_memory(question, include_history=True)).hits
        assert next(hit.text for hit in history if hit.kind == "memory") == hits[0].text
