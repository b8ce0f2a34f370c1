"""Weights choose between hits that match alike, and hits that repeat others make room."""

import math
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval.toys import hits_of, keep, texts_of

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.language.names.keys import same_task
from memoria.model import (
    DAY_MS,
    Memory,
    MemoryType,
    MemoryVersion,
    Provenance,
    Revision,
    SourceKind,
    Trust,
    Validity,
    to_iso,
)
from memoria.model.query import MemoryQuery
from memoria.retrieval.query.options import SearchOptions
from memoria.retrieval.query.plan import plan_memories
from memoria.retrieval.ranking.repeats import diversify, word_similarity
from memoria.retrieval.ranking.score import memory_boosts

NOW = 1_700_000_000_000
LONG_AGO = NOW - 400 * DAY_MS


def boost(
    *,
    trust: Trust = Trust.REPORTED,
    at: int = LONG_AGO,
    in_hand: str | None = None,
    query: str = "fence",
    **fields: Any,  # noqa: ANN401  (those of `Memory`)
) -> float:
    """What a memory weighs that differs from an ordinary one in these respects."""
    origin = Provenance(source_kind=SourceKind.USER_SAID, trust=trust, channel="test")
    version = MemoryVersion(
        n=1,
        version=1,
        content="The fence is green",
        valid_from=at,
        valid_to=None,
        ingested_at=at,
        provenance=origin,
    )
    ordinary: dict[str, Any] = {
        "id": "m",
        "type": MemoryType.RULE,
        "validity": Validity.ACTIVE,
        "importance": 0.5,
        "confidence": 0.8,
        "pinned": False,
        "verified": False,
        "upvotes": 0,
        "downvotes": 0,
        "created_at": at,
        "updated_at": at,
        "versions": (version,),
    }
    asked = MemoryQuery(query=query, max_tokens=1000, as_of=to_iso(NOW))
    plan = plan_memories(asked, SearchOptions(task=in_hand))
    return math.prod(memory_boosts(Memory(**{**ordinary, **fields}), version, plan).values())


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"importance": 0.9}, {"importance": 0.1}),
        ({"pinned": True}, {}),
        ({"verified": True}, {}),
        ({"upvotes": 2}, {}),
        ({}, {"downvotes": 2}),
        ({"use_count": 20}, {"use_count": 1}),
        ({"evidence": 5}, {"evidence": 1}),
        ({"trust": Trust.USER}, {"trust": Trust.REPORTED}),
        ({"trust": Trust.REPORTED}, {"trust": Trust.TOOL}),
        ({"in_hand": "the parser", "task": "parser tests"}, {"in_hand": "the parser"}),
        ({"query": "fence on 2022-10-10"}, {"query": "fence on 2020-10-10"}),
    ],
    ids=lambda fields: ",".join(fields) or "ordinary",
)
def test_each_boost_favours_the_memory_it_speaks_for(
    more: dict[str, Any], less: dict[str, Any]
) -> None:
    assert boost(**more) > boost(**less)


FADING = [MemoryType.EPISODE, MemoryType.TASK_OUTCOME, MemoryType.TOOL_EXPERIENCE,
          MemoryType.ERROR, MemoryType.GOAL, MemoryType.FACT, MemoryType.CONCEPT]  # fmt: skip


@pytest.mark.parametrize("kind", MemoryType)
def test_what_tells_of_a_moment_fades_and_what_holds_at_any_age_does_not(kind: MemoryType) -> None:
    ages = [0, 10, 100, 1000, 10_000]
    boosts = [boost(type=kind, at=NOW - days * DAY_MS) for days in ages]
    if kind in FADING:
        assert all(newer > older for newer, older in pairwise(boosts[:4]))
        assert boosts[-1] >= 0.9 * boosts[0] - 0.001
    else:
        assert len(set(boosts)) == 1


def test_an_episode_fades_faster_than_a_fact() -> None:
    def share_left(kind: MemoryType) -> float:
        return boost(type=kind, at=NOW - 14 * DAY_MS) / boost(type=kind, at=NOW)

    assert (
        share_left(MemoryType.EPISODE)
        < share_left(MemoryType.TASK_OUTCOME)
        < share_left(MemoryType.FACT)
        < 1
    )


def test_what_is_pinned_does_not_fade() -> None:
    old = boost(type=MemoryType.EPISODE, at=NOW - 5000 * DAY_MS, pinned=True)
    assert old == boost(type=MemoryType.EPISODE, at=NOW, pinned=True)


@given(
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(1, 10**6),
    st.sampled_from(MemoryType),
    st.sampled_from(Trust),
    st.integers(-(10**12), 10**13),
)
def test_boosts_are_bounded_together(
    importance: float,
    pinned: bool,
    verified: bool,
    upvotes: int,
    downvotes: int,
    uses: int,
    evidence: int,
    kind: MemoryType,
    trust: Trust,
    age: int,
) -> None:
    found = boost(
        importance=importance,
        pinned=pinned,
        verified=verified,
        upvotes=upvotes,
        downvotes=downvotes,
        use_count=uses,
        evidence=evidence,
        type=kind,
        trust=trust,
        at=NOW - age,
    )
    conclusion = 1.1
    assert 1 / 1.27 < found / conclusion < 1.27


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("write the parser", "the parser's tests", True),
        ("给解析器写测试", "解析器", True),
        ("write the parser", "paint the kitchen", False),
        ("", "write the parser", False),
        (None, "write the parser", False),
    ],
)
def test_tasks_are_the_same_that_share_half_of_their_discriminative_words(
    one: str | None, other: str, *, same: bool
) -> None:
    assert same_task(one, other) is same
    assert same_task(other, one) is same


@pytest.fixture
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """A home without vectors: what is compared is boosts."""
    settings = memoria.Settings(embedder="off")
    home = tmp_path_factory.mktemp("weights")
    async with memoria.open(home=home, tenant="t", settings=settings) as opened:
        yield opened


@pytest.mark.parametrize("action", ["pin", "upvote"])
@pytest.mark.parametrize("place", [0, 1])
async def test_what_the_user_does_for_a_memory_moves_it_before_its_equal(
    m: Memoria, action: Revision, place: int
) -> None:
    ids = [keep(m, f"The kettle boils at gate {n}", "2023-01-01") for n in ("one", "two")]
    await m.revise_memory(ids[place], action)
    found = await m.search_memory("kettle boils gate")
    assert [hit.id for hit in found.hits] == [ids[place], ids[1 - place]]


async def test_no_boost_lifts_what_hardly_matches_over_what_does(m: Memoria) -> None:
    favoured = keep(m, "The kettle company moved to Leeds in that month", "2023-01-01",
                    importance=1.0, trust=Trust.USER, task="kettle descaling")  # fmt: skip
    unrelated = keep(m, "The roof was tiled in slate", "2023-01-01", importance=1.0)
    plain = keep(m, "Descale the kettle with vinegar every month", "2023-01-01", importance=0.0,
                 trust=Trust.TOOL)  # fmt: skip
    for each in (favoured, unrelated):
        await m.revise_memory(each, "pin")
        for _ in range(5):
            await m.revise_memory(each, "upvote")
    query = "descale kettle vinegar month"
    await m.update_scratchpad(current_focus="kettle descaling")
    found = [hit.id for hit in hits_of(await m.search_memory(query))]
    assert found[0] == plain


async def test_near_repeats_make_room_for_what_has_not_been_said(m: Memoria) -> None:
    for n in range(4):
        keep(m, f"The quarterly harbour report goes to the board on Monday {'again ' * n}".strip(),
             "2023-01-01")  # fmt: skip
    keep(m, "The quarterly harbour report is written by Priya with figures of the port authority",
         "2023-01-01")  # fmt: skip
    found = await m.search_memory("quarterly harbour report", limit=2)
    assert any("Priya" in text for text in texts_of(found))


async def test_what_has_all_in_its_favour_does_not_stand_before_what_answers(m: Memoria) -> None:
    asked_of = "guided evening tour of the harbour museum garden in summer"
    answer = keep(m, f"A ticket for the {asked_of} costs eleven euros", "2023-01-01")
    favoured = keep(m, f"A ticket for the {asked_of} is sold at the door", "2023-01-01",
                    importance=1.0, trust=Trust.USER, task="museum visit")  # fmt: skip
    await m.revise_memory(favoured, "pin")
    for _ in range(5):
        await m.revise_memory(favoured, "upvote")
    query = f"ticket euros {asked_of}"
    await m.update_scratchpad(current_focus="museum visit")
    found = await m.search_memory(query)
    assert [hit.id for hit in found.hits] == [answer, favoured]


def test_the_first_uses_and_the_first_evidence_say_most() -> None:
    used = [boost(use_count=n) for n in (1, 11, 1000, 1010)]
    proven = [boost(evidence=n) for n in (1, 11, 1000, 1010)]
    for few, some, many, more in (used, proven):
        assert few < some < many <= more
        assert some - few > more - many


@dataclass(frozen=True)
class Plain:
    """Something with a score and words."""

    score: float
    words: frozenset[str]


WORDED = st.builds(Plain, st.floats(0, 1), st.frozensets(st.sampled_from("abcdefgh"), max_size=6))


@given(st.lists(WORDED, max_size=12), st.integers(0, 14))
def test_diversity_loses_nothing_begins_with_the_best_and_is_deterministic(
    found: list[Plain], most: int
) -> None:
    ranked = sorted(found, key=lambda each: -each.score)
    chosen = diversify(ranked, most)
    assert sorted(map(repr, chosen)) == sorted(map(repr, ranked))
    assert chosen[:1] == ranked[:1]
    assert diversify(ranked, most) == chosen


def test_a_long_text_that_holds_a_short_one_has_more_to_say_and_the_short_one_has_not() -> None:
    long = frozenset("kettle gate boil harbour board report monday figures".split())
    short, other = frozenset({"kettle", "gate", "boil"}), frozenset({"roof", "slate"})
    after_long = diversify([Plain(1, long), Plain(0.9, short), Plain(0.8, other)], 3)
    assert [each.words for each in after_long] == [long, other, short]
    after_short = diversify([Plain(1, short), Plain(0.9, long), Plain(0.8, other)], 3)
    assert [each.words for each in after_short] == [short, long, other]


def test_a_text_many_times_as_long_holds_the_words_of_a_short_one_by_chance() -> None:
    essay = frozenset(f"w{i}" for i in range(40))
    short, other = frozenset({"w1", "w2", "w3"}), frozenset({"roof", "slate"})
    ranked = [Plain(1, essay), Plain(0.9, short), Plain(0.8, other)]
    assert diversify(ranked, 3) == ranked


@given(st.lists(st.floats(0, 1), max_size=8))
def test_hits_that_share_no_word_stay_in_their_order(scores: list[float]) -> None:
    ranked = [
        Plain(score, frozenset({f"w{i}", f"x{i}"}))
        for i, score in enumerate(sorted(scores, reverse=True))
    ]
    assert diversify(ranked, len(ranked)) == ranked


@given(st.frozensets(st.integers(0, 9)), st.frozensets(st.integers(0, 9)))
def test_similarity_is_a_share_and_knows_no_direction(
    one: frozenset[int], other: frozenset[int]
) -> None:
    here, there = (frozenset(map(str, words)) for words in (one, other))
    assert 0 <= word_similarity(here, there) <= 1
    assert word_similarity(here, there) == word_similarity(there, here)
    assert word_similarity(here, here) == (1.0 if here else 0.0)


NAMES = [
    "mcp__memoria__search_memory",
    "mcp__plugin_memoria_memoria__search_conversation_traces",
    "memoria.search_memory",
    "memoria:get_memory",
    "search_memory",
    "memoria_search_memory",
]
REPEATED = [
    ("The ladder is stored behind the boiler", "where is the ladder", "According to memory, "),
    ("备用钥匙在花盆下面", "备用钥匙在哪", "根据记忆，"),
    ("Der Ersatzschlüssel liegt im Keller", "wo liegt der Ersatzschlüssel", "Laut Notizen: "),
    ("駐車場の番号は24番です", "駐車場の番号は", "記憶によると、"),
]  # fmt: skip


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, embedder="off")


@pytest.mark.parametrize(("fact", "question", "lead"), REPEATED)
async def test_a_memory_stands_before_a_turn_that_repeats_it(
    settings: Settings, fact: str, question: str, lead: str
) -> None:
    async with memoria.open(settings=settings) as m:
        await m.remember(fact)
        said = [("user", question), ("assistant", f"{lead}{fact}.")]
        turns = [{"role": role, "content": content} for role, content in said]
        await m.record_conversation(turns, session_id="later")
        hits = hits_of(await m.search_memory(question))
        kinds = [hit.kind for hit in hits if hit.source.role != "user" or hit.kind == "memory"]
        assert kinds[:1] == ["memory"]


async def test_a_statement_stands_before_later_turns_that_repeat_it(settings: Settings) -> None:
    fact, question = "The ladder hangs behind the boiler", "where does the ladder hang"
    async with memoria.open(settings=settings) as m:
        turns = [{"role": "user", "content": f"{fact}."}]
        await m.record_conversation(turns, session_id="first")
        for later in ("second", "third"):
            told = f"As I recall it, the ladder hangs behind the boiler: {question}, indeed."
            turns = [{"role": "user", "content": question}, {"role": "assistant", "content": told}]
            await m.record_conversation(turns, session_id=later)
        hits = (await m.search_conversation_traces(question)).hits
        assert hits[0].text.startswith(fact)


async def test_an_answer_that_says_more_than_a_question_keeps_its_place(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        turns = [
            {"role": "user", "content": "Which paint does the workshop use for the garden fence?"},
            {"role": "assistant", "content": "The workshop uses Falu red for the garden fence."},
        ]
        await m.record_conversation(turns, session_id="talk")
        before = (await m.search_conversation_traces("Falu red garden fence")).hits
        assert before[0].text == turns[1]["content"]


async def test_who_asks_what_the_assistant_said_is_given_that(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        await m.remember("The ladder is stored behind the boiler")
        told = "I suggest that the ladder is stored behind the boiler."
        await m.record_conversation([{"role": "assistant", "content": told}], session_id="talk")
        found = await m.search_conversation_traces("what did you suggest about the ladder?")
        assert [hit.text for hit in found.hits] == [told]


@pytest.mark.parametrize("name", NAMES)
async def test_calls_of_our_own_tools_are_not_recorded_whatever_they_are_called(
    settings: Settings, name: str
) -> None:
    turns: list[dict[str, object]] = [
        {"role": "user", "content": "Where is the ladder stored?"},
        {"role": "tool", "tool_name": name, "tool_args": {"query": "ladder"}, "tool_result": "It."},
        {"role": "tool", "tool_name": "bash", "tool_args": {"command": "ls ladder"}},
    ]
    async with memoria.open(settings=settings) as m:
        receipt = await m.record_conversation(turns, session_id="talk")
        assert [one.status for one in receipt.turns] == ["recorded", "nothing_left", "recorded"]
        names = [turn.tool_name for turn in (await m.get_session("talk")).turns]
        assert names == [None, "bash"]


async def test_a_search_of_ours_is_known_by_its_answer_under_another_server_s_name(
    settings: Settings,
) -> None:
    answer = "[memory 43465763] The ladder is behind the boiler (fact, 2026-11-28)"
    async with memoria.open(settings=settings) as m:
        kept: dict[str, object] = {"role": "tool", "tool_name": "mcp__brain__search_memory"}
        results: list[dict[str, object]] = [{**kept, "tool_result": one} for one in (answer, "-")]
        receipt = await m.record_conversation(results)
        assert [one.status for one in receipt.turns] == ["nothing_left", "recorded"]


REPORT = (
    "The dashboards were moved to the new cluster without any loss of history."
    " Log files are packed into an archive after thirty days."
    " The certificates are renewed by a job on the first of the month."
    " The release notes are written by whoever merges the last change."
    " Alerts go to the channel of the team that owns the choir's website."
)


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_what_adds_the_answer_to_an_earlier_text_is_no_echo_of_it(
    settings: Settings, role: str
) -> None:
    answer = f"{REPORT} On Tuesday evening the choir rehearses Brahms."
    said = [(role, REPORT), ("assistant", answer)]
    async with memoria.open(settings=settings) as m:
        turns = [{"role": role, "content": content} for role, content in said]
        await m.record_conversation(turns, session_id="talk")
        found = await m.search_conversation_traces("Which evening does the choir rehearse?")
        assert found.hits[0].text == answer
