"""Whatever is asked: an answer keeps its budget, its limit and its scope, and is the same again."""

import random
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.retrieval.town import HALFWAY, SECRETS, settle_elsewhere, settle_town
from tests.retrieval.toys import ToyEmbedder, hits_of, keep

import memoria
from memoria import Memoria, SearchResult
from memoria.language.budget import price_text
from memoria.model import PARTS, MemoryType, Role, parse_instant
from memoria.surface.text import result_text

MANY = settings(
    max_examples=35, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """A home with much to hide."""
    home = tmp_path_factory.mktemp("town") / "home"
    async with memoria.open(home=home, tenant="other", embedder=ToyEmbedder()) as other:
        await settle_elsewhere(other)
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as m:
        await settle_town(m)
        yield m


QUESTIONS = st.one_of(
    st.sampled_from(
        [
            "What did we say last month?",
            "我上个月说过什么",
            "What were the exact words about the harbour report?",
            "What is the latest?",
            "harbour report in May 2023",
            "E4711 harbour",
            "Who is Priya?",
            "Which gold mine lies in Lisbon?",
            "港口报告什么时候交",
        ]
    ),
    st.lists(
        st.sampled_from(
            "harbour report Priya Lisbon budget E4711 Monday gate master board 港口 报告 long tags"
            " unheard of".split(" ")
        ),
        min_size=1,
        max_size=6,
    ).map(" ".join),
    st.text(min_size=1, max_size=30).filter(lambda text: text.strip() != ""),
)
DAYS = st.sampled_from(["2023-01-05", "2023-02-10", "2023-03-06", HALFWAY, "2023-08-01"])
WITHOUT = st.lists(st.sampled_from(PARTS), unique=True, max_size=2)


@dataclass(frozen=True)
class Asked:
    """A question with whatever it is narrowed to, and the words its answer may hold."""

    arguments: dict[str, Any]
    first_level: bool

    @property
    def may_show(self) -> set[str]:
        place, moment = self.arguments.get("workspace"), self.arguments.get("as_of")
        past = moment is not None or self.arguments.get("include_history", False)
        allowed = {"later"} if moment is None or moment > "2023-09" else set()
        allowed |= {key for key in ("alpha", "beta") if place in {key, "*"}}
        if not self.first_level:
            return allowed | {"suppressed"} | ({"edited"} if past else set())
        if moment is None:
            history = {"edited", "archived", "expired", "old wording", "pending"}
            return allowed | (history if past else set())
        early = {"old wording"} if moment < "2023-07" else set()
        return allowed | early | {"archived"} | ({"expired"} if moment < "2023-05" else set())


@st.composite
def draw_filters(draw: st.DrawFn) -> Asked:
    first_level = draw(st.booleans())
    given: dict[str, Any] = {
        "limit": draw(st.integers(1, 30)),
        "max_tokens": draw(st.integers(50, 3000)),
        "without": draw(WITHOUT),
        "explain": True,
    }
    some: dict[str, st.SearchStrategy[Any]] = {
        "workspace": st.sampled_from(["alpha", "beta", "*", "unknown", "none"]),
        "since": DAYS,
        "until": DAYS,
        "session_id": st.sampled_from(["s1", "s2", "s3", "s-beta"]),
        "include_history": st.just(value=True),
    }
    if first_level:
        some |= {
            "types": st.lists(st.sampled_from(MemoryType), max_size=2, unique=True),
            "as_of": st.sampled_from(["2023-04-01T00:00:00Z", HALFWAY, "2023-08-01T00:00:00Z"]),
            "task": st.just("harbour"),
        }
    else:
        some |= {
            "role": st.sampled_from(Role),
            "tool": st.just("bash"),
            "context": st.integers(0, 5),
        }
    for name, values in some.items():
        if draw(st.integers(0, 3)) == 0:
            given[name] = draw(values)
    if given.get("until", "9") <= given.get("since", "0"):
        del given["since"]
    return Asked(given, first_level)


async def answer(m: Memoria, query: str, narrowed: Asked) -> SearchResult:
    search = m.search_memory if narrowed.first_level else m.search_conversation_traces
    return await search(query, **narrowed.arguments)


@MANY
@given(QUESTIONS, draw_filters())
async def test_an_answer_shows_nothing_that_is_out_of_its_scope(
    town: Memoria, query: str, narrowed: Asked
) -> None:
    found = await answer(town, query, narrowed)
    written = found.model_dump_json()
    shown = {key for key, word in SECRETS.items() if word in written}
    assert shown <= narrowed.may_show


@MANY
@given(QUESTIONS, draw_filters())
async def test_every_hit_passes_every_filter(town: Memoria, query: str, narrowed: Asked) -> None:
    given_ = {"since": "0001-01-02", "until": "9999-01-01", **narrowed.arguments}
    since, until = parse_instant(given_["since"]), parse_instant(given_["until"])
    for hit in (await answer(town, query, narrowed)).hits:
        assert since <= parse_instant(hit.source.at) < until
        assert given_.get("session_id") in {None, hit.source.session_id}
        assert given_.get("role") in {None, hit.source.role}
        assert "tool" not in given_ or (hit.tool is not None and hit.tool.name == "bash")
        assert not given_.get("types") or hit.type in given_["types"]
        assert "as_of" not in given_ or hit.source.at <= given_["as_of"]


async def test_no_filter_leaves_nothing_so_that_what_passes_can_be_looked_at(town: Memoria) -> None:
    of_both = {
        "session_id": "s1",
        "since": "2023-01-05",
        "until": "2023-08-01",
        "workspace": "beta",
    }
    of_memories = {"types": ["rule"], "as_of": HALFWAY, "task": "harbour"}
    of_turns = {"role": "assistant", "tool": "bash"}
    for first_level, filters in ((True, of_both | of_memories), (False, of_both | of_turns)):
        for name, value in filters.items():
            asked = Asked({"limit": 30, "max_tokens": 3000, name: value}, first_level)
            found = await answer(town, "What did we say about the harbour report?", asked)
            assert found.hits, (name, first_level)


@MANY
@given(QUESTIONS, draw_filters())
async def test_an_answer_keeps_its_budget_and_its_limit(
    town: Memoria, query: str, narrowed: Asked
) -> None:
    found = await answer(town, query, narrowed)
    most = narrowed.arguments["max_tokens"]
    assert found.tokens <= price_text(result_text(found)) <= most
    counted = [hit for hit in found.hits if hit.shown_as != "later"]
    assert len(counted) <= narrowed.arguments["limit"]


@MANY
@given(QUESTIONS, draw_filters())
async def test_the_same_question_gets_the_same_answer_for_the_same_reasons(
    town: Memoria, query: str, narrowed: Asked
) -> None:
    assert await answer(town, query, narrowed) == await answer(town, query, narrowed)


@MANY
@given(QUESTIONS, draw_filters())
async def test_a_trace_tells_of_every_hit_what_became_of_it_and_why(
    town: Memoria, query: str, narrowed: Asked
) -> None:
    found = await answer(town, query, narrowed)
    assert found.explanation is not None
    candidates = found.explanation.candidates
    assert [each.id for each in candidates if each.outcome == "shown"] == [
        hit.id for hit in found.hits
    ]
    for each in candidates:
        assert min(each.lexical, each.graph, each.coverage, each.relevance) >= 0
        assert max(each.lexical, each.graph, each.coverage, each.relevance, each.cosine) <= 1.0001
        assert each.score == pytest.approx(_product(each.factors) * each.relevance, abs=2e-3)


def _product(factors: dict[str, float]) -> float:
    weight = 1.0
    for factor in factors.values():
        weight *= factor
    return weight


TURNS = {None: 23, "alpha": 25, "beta": 25, "*": 27}
"""Turns of the town that are seen from a workspace: the erased one is none of them."""


@MANY
@given(
    st.sampled_from(["E4711", "exact words on the harbour report", "exact words of Priya"]),
    st.sampled_from(list(TURNS)),
    st.sampled_from([None, "s1", "s2", "s-beta", "s-alpha"]),
)
async def test_a_hint_counts_only_what_the_second_level_shows(
    town: Memoria, query: str, place: str | None, session: str | None
) -> None:
    scope: dict[str, Any] = {"workspace": place, "session_id": session}
    found = await town.search_memory(query, **scope)
    record = await town.search_conversation_traces(
        query, limit=200, max_tokens=100_000, context=0, **scope
    )
    number = re.search(r"(\d+) (?:or more )?turns? match", found.hint or "0 turns match")
    assert number is not None
    assert int(number[1]) <= len(record.hits) <= TURNS[place]
    assert record.hits or found.hint is None


@MANY
@given(QUESTIONS, st.integers(200, 3000), st.sampled_from([None, "alpha", "beta"]))
async def test_a_package_keeps_its_budget_its_scope_and_its_fence_and_is_the_same_again(
    town: Memoria, query: str, max_tokens: int, place: str | None
) -> None:
    package = await town.build_context(query, max_tokens=max_tokens, workspace=place)
    assert package.tokens == price_text(package.text) <= max_tokens
    shown = {key for key, word in SECRETS.items() if word in package.text}
    # Verbatim evidence is the record, and what was suppressed is still in that.
    assert shown <= {"later", place} | ({"suppressed"} if package.evidence else set())
    assert len(re.findall(r"</?(?:memoria|private)", package.text)) == 2
    assert package == await town.build_context(query, max_tokens=max_tokens, workspace=place)


async def test_a_past_wording_passes_the_filters_itself(town: Memoria) -> None:
    query = "Who is the harbour master of Lisbon?"
    found = await town.search_memory(query, as_of=HALFWAY, types=["fact"])
    assert SECRETS["old wording"] in found.hits[0].text
    filters: list[dict[str, Any]] = [{"since": "2023-01-05"}, {"session_id": "s1"}]
    for narrowed in filters:
        found = await town.search_memory(query, as_of=HALFWAY, **narrowed)
        assert not any(SECRETS["old wording"] in hit.text for hit in found.hits)


async def test_what_only_the_graph_knows_of_passes_no_filter(town: Memoria) -> None:
    found = await town.search_memory("What does Priya do?", limit=20, max_tokens=3000)
    assert "Orchids in every window" in [hit.text for hit in found.hits]
    filters: list[dict[str, Any]] = [
        {"since": "2023-03-01"},
        {"until": "2023-01-02"},
        {"session_id": "s1"},
        {"types": ["rule"]},
    ]
    for narrowed in filters:
        found = await town.search_memory("What does Priya do?", max_tokens=3000, **narrowed)
        assert "Orchids in every window" not in [hit.text for hit in found.hits]


async def test_another_tenants_words_are_found_by_nobody_else(town: Memoria) -> None:
    word = SECRETS["tenant"]
    for search in (town.search_memory, town.search_conversation_traces):
        found = await search(word, workspace="*", include_history=True)
        assert not found.answered
        assert word not in found.model_copy(update={"query": ""}).model_dump_json()


async def test_after_reopening_the_answers_and_their_reasons_are_the_same(tmp_path: Path) -> None:
    asked_again = ["harbour report", "Who is Priya?", "我上个月说过什么", "E4711", "Lisbon budget"]

    async def all_of(m: Memoria) -> list[SearchResult]:
        return [
            await search(query, explain=True, limit=20)
            for query in asked_again
            for search in (m.search_memory, m.search_conversation_traces)
        ]

    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        await settle_town(m)
        before = await all_of(m)
    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        assert await all_of(m) == before


LIMITS = (1, 5, 12, 27, 31, 41, 45, 50)
LIMITED = (
    "Which kiln is in the garden?",
    "How many hours did the move of the violin take?",
    "Where does my sister keep the lantern?",
    "Have I ever had a tent?",
    "Which version of the bicycle tool do we use?",
    "What did Ines buy for the kitchen, and where is the report?",
    "茶壶现在多少钱？",
    "我妈妈在哪里养了灯笼？",
    "我有没有过自行车？",
)
LINES = (
    "The {thing} in the {place} broke on a Friday.",
    "I bought a new {thing} for the {place}.",
    "We moved the {thing} to the {place} and it took {number} hours.",
    "My sister keeps a {thing} in the {place}.",
    "The {thing} costs {number} euros now.",
    "No, I never had a {thing}.",
    "Did you see the {thing} at the {place}?",
    "We use version {number} of the {thing} tool.",
)
CHINESE_LINES = (
    "我在{place}买了一个{thing}。",
    "{thing}放在{place}里，花了{number}个小时。",
    "我妈妈在{place}养了{thing}。",
    "{thing}现在要{number}块钱。",
    "我从来没有过{thing}。",
    "你在{place}看见{thing}了吗？",
)
THINGS = ("kiln", "boat", "lantern", "tent", "violin", "report", "bicycle")
PLACES = ("garden", "kitchen", "shed", "office", "museum")
CHINESE_THINGS = ("茶壶", "自行车", "灯笼", "帐篷", "小提琴", "报告")
CHINESE_PLACES = ("花园", "厨房", "办公室", "车站")


def write_line(dice: random.Random) -> str:
    """A line about one of few things, so that much of a home is near to any question."""
    kinds = ((LINES, THINGS, PLACES), (CHINESE_LINES, CHINESE_THINGS, CHINESE_PLACES))
    lines, things, places = dice.choices(kinds, (3, 2))[0]
    number = dice.randint(2, 40)
    line = dice.choice(lines)
    return line.format(thing=dice.choice(things), place=dice.choice(places), number=number)


async def settle(m: Memoria, turns: int, memories: int) -> None:
    """Talk of two people or of a user and an assistant, and memories beside it."""
    dice = random.Random(turns * 100 + memories)  # noqa: S311  (the same home in every run)
    for start in range(0, turns, 15):
        told = [
            {
                "role": dice.choice(("user", "user", "assistant")),
                "content": write_line(dice),
                "at": f"2024-{1 + start // 15:02}-{1 + i:02}",
                **({"speaker": dice.choice(("Ines", "Tomas", "李薇"))} if turns % 2 else {}),
            }
            for i in range(min(15, turns - start))
        ]
        await m.record_conversation(told, session_id=f"s{start}")
    for i in range(memories):
        keep(m, write_line(dice), f"2024-02-{1 + i % 28:02}")
    await m.wait_until_idle(60)


@pytest.mark.parametrize(
    ("turns", "memories", "which"), [(10, 4, 0), (45, 20, 1), (60, 40, 0), (120, 5, 1)]
)
async def test_a_larger_limit_shows_all_hits_of_a_smaller_one(
    home: Path, turns: int, memories: int, which: int
) -> None:
    async with memoria.open(home=home, tenant="t") as m:
        await settle(m, turns, memories)
        for question in LIMITED[which::2]:
            for search in (m.search_memory, m.search_conversation_traces):
                shown = [
                    _list_ids(await search(question, limit=limit, max_tokens=100_000))
                    for limit in LIMITS
                ]
                for less, more in pairwise(shown):
                    assert {*less} <= {*more}, (search.__name__, question)
                assert len(shown[-1]) <= LIMITS[-1]


def _list_ids(found: SearchResult) -> list[str]:
    assert found.omitted == 0
    return [hit.id for hit in hits_of(found)]
