"""What a chat model costs: bounds on the tokens and calls that a conversation causes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.extraction.price import Price, measure_price
from bench.extraction.talk import Talk, priced_talks
from bench.tokens import count_tokens
from tests.ingest.play import (
    add,
    answers,
    entries,
    known_in,
    memories,
    opened,
    purpose_of,
    reader,
    said,
)
from tests.llm.scripted import Asked, ScriptedModel, says

from memoria import Settings, Turn
from memoria.inference.chat.schema import form_in_words, schema_with_limits
from memoria.inference.tasks import Extraction, SegmentReading
from memoria.model import use_clock

MINUTE_MS = 60_000
_BINDING_NOBODY = ("'title'", "'default'", "'description'")
NOON = 1_777_896_000_000


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(answer=answers()) as scripted:
        yield scripted


def price_of(kind: str, mode: str, folder: Path) -> Price:
    settings = Settings.from_values(embedder="off")
    return measure_price(kind, priced_talks(None)[kind], settings, folder, mode)


@pytest.mark.parametrize(
    ("kind", "mode", "most", "calls"),
    [
        ("an agent's session", "live", 4_000, 0.15),
        ("an agent's session", "backlog", 2_600, 0.05),
        ("Chinese chat", "live", 4_500, 0.15),
        ("Chinese chat", "backlog", 2_800, 0.1),
        ("short sessions", "live", 10_000, 0.5),
        ("short sessions", "backlog", 3_600, 0.15),
        ("short sessions in Chinese", "live", 9_500, 0.45),
        ("short sessions in Chinese", "backlog", 3_300, 0.15),
    ],
)
def test_reading_a_conversation_costs_no_more_than_its_bound(
    tmp_path: Path, kind: str, mode: str, most: int, calls: float
) -> None:
    price = price_of(kind, mode, tmp_path)
    assert price.memories > 0
    assert price.per_thousand <= most
    assert price.calls_per_turn <= calls


def test_small_talk_costs_nothing(tmp_path: Path, model: ScriptedModel) -> None:
    talk: Talk = (
        tuple(
            Turn(role=role, content=text, session_id="s", at=NOON + i * MINUTE_MS)
            for i, (role, text) in enumerate(
                [
                    ("user", "Morning! How are you today?"),
                    ("assistant", "Good morning! I'm fine, thank you. What can I do for you?"),
                    ("user", "Nothing right now, thanks"),
                    ("assistant", "You're welcome."),
                    ("user", "早上好！"),
                    ("assistant", "早上好！今天有什么安排吗？"),
                ]
            )
        ),
    )
    price = measure_price(
        "small talk", talk, Settings.from_values(embedder="off"), tmp_path, "live"
    )
    assert price.calls == {}
    assert model.requests == []


@pytest.mark.parametrize(
    ("asked", "answer", "content"),
    [
        ("Are you vegetarian?", "Yes.", "The user is vegetarian."),
        ("Do you eat fish?", "No.", "The user does not eat fish."),
        ("你吃素吗？", "是的。", "用户吃素。"),
        ("你是左撇子吗？", "不是。", "用户不是左撇子。"),
    ],
)
async def test_a_bare_yes_or_no_to_a_question_is_read(
    home: Path, model: ScriptedModel, asked: str, answer: str, content: str
) -> None:
    model.answer = answers(
        extract=reader(lambda n, _, said, __: [add(said, n, content)] if said == answer else []),
        verify=lambda _: {"checks": [{"statement": 1, "supported": "yes"}]},
    )
    async with opened(home, model) as m:
        await said(m, "Morning!", ("assistant", "Good morning!"), "thanks", "ok", session="a")
        assert model.requests == []
        await said(m, ("assistant", asked), answer, session="b")
        assert [one.content for one in await memories(m)] == [content]
        await said(m, ("assistant", asked), session="c")
        before = len(model.requests)
        await said(m, answer, session="c")
        assert len(model.requests) > before


def test_a_form_says_what_binds_an_answer_and_no_more() -> None:
    assert count_tokens(form_in_words(Extraction)) <= 300
    assert count_tokens(form_in_words(SegmentReading)) <= 340
    for answer in (Extraction, SegmentReading):
        assert not any(word in str(schema_with_limits(answer)) for word in _BINDING_NOBODY)
        assert answer.model_validate_json('{"operations": []}').operations == ()


async def test_two_requests_begin_with_the_same_words_up_to_what_is_known(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        await said(m, "The kiln in the shed takes nine hours to cool down.", session="a")
        await said(m, "My sister Ida moves to Leeds next spring.", session="b")
    first, second = (asked for asked in model.requests if purpose_of(asked) == "extract")
    assert first.instructions == second.instructions
    pairs = zip(first.text, second.text, strict=False)
    common = first.text[: next(i for i, (one, other) in enumerate(pairs) if one != other)]
    assert "Who speaks" in common
    assert "Known memories" in common
    start = first.text.index("The turns to read")
    assert all(word not in first.text[:start] for word in ("2026", "kiln"))


@pytest.mark.parametrize("form", ["json_object", "text"])
async def test_a_form_in_words_belongs_to_what_every_request_begins_with(
    home: Path, form: str
) -> None:
    with ScriptedModel(answer=answers(), forms=[form]) as model:
        async with opened(home, model) as m:
            await said(m, "The kiln in the shed takes nine hours to cool down.")
        asked = model.requests[-1]
    assert form_in_words(Extraction) in asked.instructions
    assert form_in_words(Extraction) not in asked.text
    assert "JSON" in asked.text.splitlines()[-1]


async def test_urgent_turns_that_follow_each_other_are_one_request(
    home: Path, model: ScriptedModel
) -> None:
    now = [NOON]
    with use_clock(lambda: now[0]):
        async with opened(home, model, extraction_wait_minutes=10) as m:
            for asked in ("answer in English", "use metric units"):
                text = f"From now on always {asked}."
                await said(m, text, ("assistant", "I see."), event=None)
                now[0] += 2 * MINUTE_MS
            assert model.requests == []
            now[0] += 10 * MINUTE_MS
            await m.wait_until_idle(60)
            assert len(model.requests) == 1
            assert "English" in model.requests[0].text
            assert "metric" in model.requests[0].text
            (entry,) = await entries(m)
            assert (entry.state, entry.first_index, entry.last_index) == ("done", 0, 3)


async def test_what_waits_for_a_pause_outlives_the_process_and_is_read_once(
    home: Path, model: ScriptedModel
) -> None:
    now = [NOON]
    with use_clock(lambda: now[0]):
        async with opened(home, model, extraction_wait_minutes=10) as m:
            await said(m, "No, that's wrong: the kiln is in the shed.", event=None)
        async with opened(home, model, extraction_wait_minutes=10) as m:
            now[0] += MINUTE_MS
            await said(m, "It is hot in there.", event="session_end")
            assert [(e.first_index, e.last_index) for e in await entries(m)] == [(0, 1)]
        now[0] += 60 * MINUTE_MS
        async with opened(home, model, extraction_wait_minutes=10) as m:
            await m.wait_until_idle(60)
    assert len(model.requests) == 1


async def test_a_segment_is_read_and_summed_up_with_one_request(
    home: Path, model: ScriptedModel
) -> None:
    def reads(_: Asked) -> object:
        quote = {"turn": 2, "quote": "why the kiln cracks"}
        episode = {"summary": "The kiln cracked for it cooled too fast.", "quotes": [quote]}
        return {"operations": [], "episodes": [episode]}

    model.answer = answers(extract=reads)
    talk = (
        "Find out why the kiln cracks.",
        ("assistant", "It cools too fast."),
        "Then leave it shut for longer.",
        ("assistant", "It stays shut for nine hours now."),
    )
    page = {"role": "tool", "tool_name": "web", "tool_args": {"q": "kiln"}, "tool_result": "SECRET"}
    async with opened(home, model) as m:
        await m.record_conversation([page], session_id="s")
        await said(m, *talk)
        (episode,) = await memories(m)
        assert {(e.kind, e.state) for e in [*await entries(m), *await entries(m, "episode")]} == {
            ("extract", "done"),
            ("episode", "done"),
        }
    (asked,) = model.requests
    assert episode.type == "episode"
    assert "(web)" in asked.text
    assert "SECRET" not in json.dumps(asked.body)


async def test_known_memories_are_shown_where_they_bear_on_the_text_and_with_their_dates(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        for i in range(30):
            await m.remember(f"Shelf {i} of the archive holds maps of county {i}.")
        await m.remember("The kiln is in the shed.", until="2099-01-01")
        await said(m, "Today we carried the kiln out.")
    known = known_in(model.requests[-1])
    assert known[0]["content"] == "The kiln is in the shed."
    assert known[0]["until"].startswith("20")
    assert len(known[0]["said_on"]) == len("2026-01-01")
    assert len(known) <= 5


async def test_stats_and_doctor_tell_what_reading_costs_and_doctor_how_to_lower_it(
    home: Path, model: ScriptedModel
) -> None:
    long = "The kiln in the shed takes nine hours to cool down, and nobody opens it before. " * 40
    async with opened(home, model) as m:
        assert (await m.statistics()).reading.per_thousand is None
        for session in ("a", "b", "c", "d"):
            await said(m, f"{session}: {long}", session=session)
        price = (await m.statistics()).reading
        cheap = next(one for one in (await m.health()).findings if one.check == "chat model")
        model.answer = lambda _: says({"operations": []}, usage=(100_000, 5))
        await said(m, f"e: {long}", session="e")
        dear = next(one for one in (await m.health()).findings if one.check == "chat model")
    assert (price.calls, price.input_tokens) == (4, 400)
    assert price.conversation_tokens == pytest.approx(4 * len(long) / 4, rel=0.01)
    assert cheap.state == "ok"
    assert "tokens for 1,000 of conversation" in cheap.detail
    assert dear.state == "warning"
    assert "extraction_wait_minutes" in (dear.cure or "")
