"""The form of an answer: what a model with little room is shown of the hits, and at what cost."""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from bench.tokens import count_tokens
from hypothesis import given
from hypothesis import strategies as st

import memoria
from memoria import Memoria
from memoria.language.budget import price_text
from memoria.language.reading.excerpt import ExcerptFinder, find_excerpt, weigh_evenly
from memoria.model import AdjacentTurn, Hit, HitSource, Role, ToolCall
from memoria.retrieval.answer.cite import NeighbourTurns
from memoria.retrieval.answer.form import ID_CHARS, write_hits
from memoria.retrieval.answer.lines import ShownAs
from memoria.retrieval.answer.pack import PackedHits, Packer
from memoria.surface.text import result_text

FILLER = "The weather was mild and nothing else happened that day. "
LONG = FILLER * 30


def turn(
    text: str, index: int = 0, session: str = "s", day: int = 2, **more: str | ToolCall | None
) -> Hit:
    source = HitSource(
        at=f"2026-03-{day:02}T01:14:05Z",
        session_id=session,
        turn_index=index,
        role=Role.USER,
        trust="reported",
    )
    return Hit(
        id=f"0199aaaa-0000-7000-8000-{index:012}",
        kind="turn",
        text=text,
        score=1.0,
        source=source,
        **more,
    )


def pack(hits: list[Hit], max_tokens: int, *terms: str) -> PackedHits:
    packer = Packer(hits, max_tokens, weigh_evenly(terms), id_chars=ID_CHARS)
    packer.admit()
    return packer.finish()


@given(
    st.text("ab. \n中文。", max_size=300),
    st.lists(st.sampled_from(["a", "b", "中文"]), unique=True),
    st.integers(1, 400),
    st.none() | st.tuples(st.integers(0, 150), st.integers(150, 300)),
)
def test_an_excerpt_is_a_span_of_the_text_no_longer_than_allowed(
    text: str, terms: list[str], chars: int, focus: tuple[int, int] | None
) -> None:
    start, end = ExcerptFinder(text, weigh_evenly(terms), focus).find(chars)
    assert 0 <= start <= end <= len(text)
    assert end - start <= chars
    assert (start, end) == (0, len(text)) or len(text) > chars


def test_an_excerpt_is_the_sentence_that_tells_most_and_whole_where_it_has_room() -> None:
    english = f"{LONG}The balance cache moved to an LRU of 512 entries. {LONG}"
    start, end = find_excerpt(english, weigh_evenly(["balanc", "cach", "lru"]), 60)
    assert english[start:end] == "The balance cache moved to an LRU of 512 entries."
    chinese = "天气很好，没有别的事。" * 40 + "港口报告改到周五上午交。" + "天气很好。" * 40
    start, end = find_excerpt(chinese, weigh_evenly(["港口", "报告", "周五"]), 16)
    assert chinese[start:end] == "港口报告改到周五上午交。"
    happy = f"{LONG}Happy parties were held. {LONG}"
    start, end = find_excerpt(happy, weigh_evenly(["happi", "parti"]), 60)
    assert "Happy parties were held." in happy[start:end]


def test_of_two_sentences_the_one_with_the_rare_word_is_shown() -> None:
    text = f"Our team likes the plan of the team. {LONG}The E4711 fails. {LONG}"
    start, end = find_excerpt(text, {"team": 0.2, "plan": 0.3, "e4711": 2.0}, 40)
    assert "The E4711 fails." in text[start:end]


def test_where_no_word_matches_the_excerpt_is_what_is_nearest_by_meaning() -> None:
    text = f"{LONG}她在三月搬到了里斯本。 {LONG}"
    at = text.index("她")
    start, end = ExcerptFinder(text, {"lisbon": 1.0}, (at, at + 11)).find(30)
    assert "她在三月搬到了里斯本。" in text[start:end]


def test_a_sentence_too_long_for_the_room_is_cut_to_where_most_terms_stand() -> None:
    text = "cache " + "x " * 500 + "the balance cache moved to an LRU " + "y " * 500
    start, end = find_excerpt(text, weigh_evenly(["balanc", "cach", "lru"]), 80)
    assert "balance cache moved to an LRU" in text[start:end]
    assert end - start <= 80


def test_of_sentences_that_tell_as_much_the_first_is_the_best_in_every_run() -> None:
    """0.1, 0.2 and 0.3 in some orders make more than 0.6, and no order of a set is certain."""
    for place in ("harbour", "bridge", "market", "港口", "library", "castle", "报告", "station"):
        terms = {f"{place}{i}": i / 10 for i in (1, 2, 3)}
        text = f"The gate opens. And then there was {', '.join(terms)}."
        start, end = ExcerptFinder(text, {**terms, "gate": 0.6}).best_sentence
        assert text[start:end] == "The gate opens."


@given(
    st.lists(
        st.tuples(st.text("ab. 中文\n", max_size=600), st.integers(0, 3), st.integers(1, 3)),
        max_size=14,
    ),
    st.integers(50, 3000),
)
def test_what_is_written_of_the_hits_fits_the_budget_best_first_and_none_vanishes_uncounted(
    drawn: list[tuple[str, int, int]], max_tokens: int
) -> None:
    hits = [turn(text, i, f"s{s}", day) for i, (text, s, day) in enumerate(drawn)]
    packed = pack(hits, max_tokens, "ab", "中文")
    written = "\n".join(write_hits(packed.hits))
    assert price_text(written) <= packed.tokens <= max_tokens
    assert [kept.id for kept in packed.hits] == [hit.id for hit in hits[: len(packed.hits)]]
    assert packed.omitted == len(hits) - len(packed.hits)
    for kept, hit in zip(packed.hits, hits, strict=False):
        start, end = kept.excerpt or (0, len(kept.text))
        assert kept.text == hit.text[start:end]


def test_ten_long_answers_are_shown_where_the_first_would_fill_the_budget() -> None:
    hits = [turn(f"{LONG}The gate {i} opens at nine. {LONG}", i) for i in range(10)]
    packed = pack(hits, 700, "gate", "open", "nine")
    assert len(packed.hits) == 10
    for i, kept in enumerate(packed.hits):
        assert f"The gate {i} opens at nine." in kept.text


def test_what_is_left_widens_the_excerpts_and_the_better_ones_more() -> None:
    hits = [turn(f"{LONG}The gate opens at nine. {LONG}", i) for i in range(4)]
    narrow, wide = pack(hits, 400, "gate", "nine"), pack(hits, 1200, "gate", "nine")
    lengths = [len(kept.text) for kept in wide.hits]
    assert wide.tokens > 1.5 * narrow.tokens
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


def test_turns_of_one_session_and_day_stand_in_order_below_one_line() -> None:
    hits = [
        turn("third", 7, "monday"),
        turn("elsewhere", 1, "other"),
        turn("first", 3, "monday"),
        turn("a day later", 9, "monday", 3),
    ]
    assert write_hits(hits) == [
        "All: trust reported.",
        "2026-03-02T01:14Z, session monday",
        "[turn 00000003] #3 user: first",
        "[turn 00000007] #7 user: third",
        "2026-03-02T01:14Z, session other",
        "[turn 00000001] #1 user: elsewhere",
        "2026-03-03T01:14Z, session monday",
        "[turn 00000009] #9 user: a day later",
    ]


def lines_of_talk(*shown: ShownAs | None) -> list[Hit]:
    """Lines of one speaker in one year, each shown as it is said."""
    return [
        turn(f"line {n}", n).model_copy(update={"status": "unprocessed", "shown_as": one})
        for n, one in enumerate(shown)
    ]


def test_who_speaks_and_the_year_are_said_once_and_what_is_no_hit_is_told_apart() -> None:
    first, second, newer, nearest = lines_of_talk(None, None, "later", "nearest")
    below = newer.model_copy(update={"later_than": second.id})
    assert write_hits([first, second, below, nearest], 8) == [
        "All: trust reported, user, 2026.",
        "[turn 00000000] line 0 (03-02)",
        "[turn 00000001] line 1 (03-02)",
        "  later: [turn 00000002] line 2 (03-02)",
        "By meaning:",
        "[turn 00000003] line 3 (03-02)",
    ]


def test_what_speaks_against_a_line_further_in_stands_in_that_line() -> None:
    old, newer = lines_of_talk(None, "later")
    below = newer.model_copy(
        update={"later_than": old.id, "contradicts": (old.id,), "text": "one\ntwo"}
    )
    assert write_hits([old, below], 8)[1:] == [
        "[turn 00000000] line 0 (03-02)",
        "  later: [turn 00000001] one\n    two (03-02, contradicted by 00000000)",
    ]


def test_lines_of_two_years_and_speakers_each_say_their_own() -> None:
    *others, last = lines_of_talk(None, None, None, None)
    source = last.source.model_copy(update={"at": "2025-12-30T09:30:00Z", "speaker": "Mia"})
    lines = write_hits([*others, last.model_copy(update={"source": source})], 8)
    assert lines[0] == "All: trust reported."
    assert lines[1] == "[turn 00000000] line 0 (user, 2026-03-02)"
    assert lines[-1] == "[turn 00000003] line 3 (Mia, 2025-12-30)"


@given(
    shown=st.lists(st.sampled_from([None, "nearest", "later"]), min_size=1, max_size=14),
    who=st.sampled_from(["A", "林", "Margarethe von Rabenau"]),
    years=st.lists(st.sampled_from(["2025", "2026"]), min_size=14, max_size=14),
    room=st.integers(40, 400),
)
def test_whatever_is_said_once_lines_keep_to_their_budget(
    shown: list[ShownAs | None], who: str, years: list[str], room: int
) -> None:
    hits = [
        hit.model_copy(
            update={
                "source": hit.source.model_copy(
                    update={"speaker": who, "at": f"{year}{hit.source.at[4:]}"}
                )
            }
        )
        for hit, year in zip(lines_of_talk(*shown), years, strict=False)
    ]
    hits = [
        hit.model_copy(update={"later_than": hits[0].id}) if hit.shown_as == "later" else hit
        for hit in hits
    ]
    packer = Packer(hits, room, {}, id_chars=ID_CHARS, line_tokens=20)
    packer.admit()
    assert packer.finish().tokens <= room


def test_a_run_begins_when_the_first_of_its_hits_was_said() -> None:
    later, first = turn("answered", 7), turn("asked", 3)
    said_at = later.source.model_copy(update={"at": "2026-03-02T09:30:00Z"})
    lines = write_hits([later.model_copy(update={"source": said_at}), first])
    assert lines[1] == "2026-03-02T01:14Z, session s"


def beside(index: int, text: str) -> AdjacentTurn:
    return AdjacentTurn(
        id=f"0199aaaa-0000-7000-8000-{index:012}", turn_index=index, role=Role.ASSISTANT, text=text
    )


def test_a_turn_beside_two_hits_is_shown_once_in_its_place_with_an_id() -> None:
    hits = [turn("asked", 3), turn("answered", 5)]
    packer = Packer(hits, 400, {})
    packer.admit()
    middle = beside(4, "between")
    packer.add_neighbours([NeighbourTurns((), (middle,)), NeighbourTurns((middle,), ())])
    lines = write_hits(packer.finish().hits)
    assert [line.split(": ")[1] for line in lines[2:]] == ["asked", "between", "answered"]
    assert lines[3].startswith("  [turn 00000004] #4 assistant: ")


def test_a_turn_beside_a_hit_that_is_a_further_hit_itself_is_shown_once() -> None:
    hits = [turn(f"Parcel {n} is here", n) for n in (*range(0, 20, 2), *range(1, 21, 2))]
    packer = Packer(hits, 4_000, weigh_evenly(["parcel"]), id_chars=ID_CHARS)
    beside = {
        n: AdjacentTurn(id=turn("", n).id, turn_index=n, role=Role.USER, text=f"Parcel {n} is here")
        for n in range(1, 21, 2)
    }
    packer.admit()
    packer.add_neighbours(NeighbourTurns((), (beside[n + 1],)) for n in range(0, 20, 2))
    shown = packer.finish().hits
    assert [hit.id for hit in shown] == [hit.id for hit in hits]
    lines = "\n".join(write_hits(shown, ID_CHARS))
    assert all(lines.count(f"Parcel {n} is here") == 1 for n in range(20))


def test_a_long_turn_beside_a_hit_takes_no_more_than_its_first_sentences() -> None:
    packer = Packer([turn("asked", 3)], 2000, {})
    packer.admit()
    packer.add_neighbours([NeighbourTurns((), (beside(4, f"Yes, at nine. {LONG}"),))])
    ((after,),) = [hit.after for hit in packer.finish().hits]
    assert after.text.startswith("Yes, at nine.")
    assert after.text.endswith("…")
    assert price_text(after.text) <= 45


def test_a_long_tool_result_is_cut_to_where_the_answer_stands() -> None:
    result = "line\n" * 2000 + "E1437 unbalanced statement\n" + "line\n" * 2000
    call = ToolCall(name="bash", args={"command": "pytest"}, result=result)
    (kept,) = pack([turn("", tool=call)], 400, "e1437").hits
    assert kept.tool is not None
    assert kept.tool.cut
    assert "E1437 unbalanced" in str(kept.tool.result)


@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 500), st.integers(0, 3000)),
        min_size=1,
        max_size=5,
    ),
    st.integers(50, 2000),
)
def test_no_name_is_too_long_for_the_budget(
    lengths: list[tuple[int, int, int]], max_tokens: int
) -> None:
    hits = [
        turn("", i, "场" * session, tool=ToolCall(name="工" * name, result="x" * result))
        for i, (name, session, result) in enumerate(lengths)
    ]
    assert pack(hits, max_tokens, "x").tokens <= max_tokens


def test_what_speaks_against_a_hit_stands_one_line_below_it() -> None:
    one, other = "0199aaaa-0000-7000-8000-0000000000a1", "0199aaaa-0000-7000-8000-0000000000b2"
    hit = turn("The gate is open.").model_copy(update={"contradicts": (one, other)})
    lines = write_hits([hit])
    assert "[000000a1], [000000b2]" in lines[-1]
    assert lines[-1].endswith(" cannot both be true; ask the user which is")
    assert all(len(a) != 36 for a in itertools.chain(*(line.split() for line in lines)))


def test_a_sentence_cut_short_begins_with_whom_it_speaks_of() -> None:
    text = f"Doctor Peeters has moved and the number to ring is 0486 now{' and so on' * 40}."
    start, end = find_excerpt(text, weigh_evenly(["number", "ring"]), 80)
    assert text[start:end].startswith("Doctor Peeters has moved and the number to ring")


def test_behind_a_greeting_what_fits_of_the_next_sentence_is_shown() -> None:
    text = "Thanks, Mia! We move into the house on Elm Street in May, as soon as it is dry there."
    assert text[slice(*find_excerpt(text, {}, 50))] == (
        "Thanks, Mia! We move into the house on Elm Street"
    )


REMARKS = (
    "The boat yard opens at 8:30, and the crane (no. 4) costs 120 euros an hour.",
    "船厂八点半开门，四号吊车一小时一百二十元，电话13900001111。",
    "My berth is B-17; the mooring licence ML-2026-0417 ends on 2026-09-30.",
    "```python\ndef is_open(hour: int) -> bool:\n    return 8 <= hour < 18\n```",
    "Sail list:\n- main sail, 24 m²\n- [ ] spinnaker 🎈\n\n| sail | age |\n|---|---|\n| jib | 3 |",
    "我女儿小雨下周六（6月20日）要参加帆船比赛，报名费三百八十元，教练是陈海波。",
    "Thanks! 👍🏽⛵ See you at the yard.",
    "The forecast says wind from the west, four to five, and rain in the evening; we leave early.",
)
PLAN = "Check the hull for cracks, sand it, and paint it twice before the boat goes in. "


@pytest.fixture(scope="module")
async def yard(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Short remarks in both languages with numbers, signs and emoji, and long answers."""
    home: Path = tmp_path_factory.mktemp("yard")
    async with memoria.open(home=home, settings=memoria.Settings(embedder="off")) as m:
        for day in range(1, 9):
            turns = [
                {
                    "session_id": f"yard {day % 3}",
                    "role": "assistant" if i % 3 == 2 else "user",
                    "content": f"{remark} {PLAN * (12 * (i % 3 == 2))}Day {day}.",
                    "at": f"2026-06-{day:02}T08:{i:02}:00Z",
                }
                for i, remark in enumerate(REMARKS)
            ]
            await m.record_conversation(turns)
        yield m


@pytest.mark.parametrize("max_tokens", [50, 100, 300, 700, 2000, 4000])
async def test_no_answer_costs_a_model_more_than_it_may(yard: Memoria, max_tokens: int) -> None:
    for question in (
        "What does the crane at the boat yard cost?",
        "小雨的帆船比赛是哪天？",
        "When does the licence ML-2026-0417 end?",
        "Which sails are on the sail list?",
        "Who repairs the piano?",
    ):
        for search in (yard.search_memory, yard.search_conversation_traces):
            for limit in (None, 1, 30):
                found = await search(question, max_tokens=max_tokens, limit=limit)
                text = result_text(found)
                assert count_tokens(text) <= max_tokens
        if max_tokens >= 200:
            package = await yard.build_context(question, max_tokens=max_tokens)
            assert count_tokens(package.text) <= max_tokens
    assert len((await yard.search_conversation_traces("crane hull sand paint")).hits) >= 10


@pytest.mark.parametrize(("max_tokens", "adds"), [(100, False), (300, True)])
async def test_other_wordings_are_named_where_the_budget_leaves_the_hits_their_room(
    yard: Memoria, max_tokens: int, *, adds: bool
) -> None:
    for search in (yard.search_memory, yard.search_conversation_traces):
        found = await search("Who repairs the piano?", max_tokens=max_tokens)
        assert (len(found.hits) >= 1, "Add queries:" in result_text(found)) == (True, adds)
