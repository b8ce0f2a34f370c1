"""What stands in quotation marks in a question is looked for word for word."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.language.words.analyser import phrase_tokens

SCATTERED = (
    "The green cabin has a winter window, and in the cabin window a winter candle is green.",
    "In winter the cabin is green, the window too; a green winter, a green cabin, a window.",
    "Green window, winter cabin, cabin window, winter green: colours for the cabin window.",
)
HELD = "For the newsletter I thought of Winter of the Green Window as a title, among other ideas."
SCATTERED_ZH = (
    "雨山、山月、月水，山月和雨山，月水和雨山，山月，月水。",
    "山月、月水、雨山，雨山很高，山月很亮，月水相映。",
)
HELD_ZH = "我给新店想的名字之一是雨山月水，另外还有几个备选，朋友们投票之后再决定用哪个。"


@pytest.fixture(params=["English", "Chinese"])
async def m(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Memoria]:
    """The phrase once, as it is, after turns that hold its words oftener; nothing but words."""
    texts = (*SCATTERED, HELD) if request.param == "English" else (*SCATTERED_ZH, HELD_ZH)
    settings = Settings.load(home=tmp_path / "home", tenant="t", embedder="off")
    async with memoria.open(settings=settings) as opened:
        turns = [{"role": "user", "content": text, "session_id": text[:4]} for text in texts]
        await opened.record_conversation(turns)
        yield opened


@pytest.mark.parametrize(
    ("m", "phrase", "questions"),
    [
        (
            "English",
            "winter of the green window",
            (
                'What about "winter of the green window"?',
                "What about “Winter of the Green Window”?",
            ),
        ),
        (
            "Chinese",
            "雨山月水",
            ("关于「雨山月水」说过什么？", "《雨山月水》是什么", '"雨山月水"是什么'),
        ),
    ],
    indirect=["m"],
    ids=["English", "Chinese"],
)
async def test_whoever_holds_a_quoted_phrase_stands_above_those_with_its_words_scattered(
    m: Memoria, phrase: str, questions: tuple[str, ...]
) -> None:
    for question in questions:
        for search in (m.search_conversation_traces, m.search_memory):
            assert phrase in (await search(question)).hits[0].text.lower(), question
        others = await m.search_conversation_traces(question, without=["phrases"])
        assert phrase not in others.hits[0].text.lower(), "the index alone ranks others first"


def test_a_phrase_is_written_as_the_index_has_it() -> None:
    assert phrase_tokens("Winter of the Green Windows!") == ("winter of the green window",)
    assert phrase_tokens("雨山月水") == ("雨山 山月 月水",)
    assert phrase_tokens("用 Python 写的") == ("用", "python", "写的")
    assert phrase_tokens(" … ") == ()
