"""What the graph finds: by other names, a step further, and never out of scope."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.language.asking.parse import parse_query
from memoria.language.words.analyser import query_terms
from memoria.memories.links import replace_interpretation
from memoria.memories.wordings import Interpretation
from memoria.model import EntityKind, InferredBy, Mention, Node, now_millis
from memoria.model.moments import UTC_ZONE
from memoria.retrieval.ranking.candidates import GRAPH_CEILING, add_graph_score
from memoria.retrieval.sources.graph import GraphExpansion, expand_graph
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

SEEN = Filters()


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors, so that only words and names find anything."""
    async with memoria.open(home, "tests", settings=Settings.load(embedder="off")) as opened:
        yield opened


async def tell(
    m: Memoria, content: str, *names: str | Mention, workspace: str | None = None
) -> str:
    """Remember a statement that a model has read: these are the names it saw there."""
    kept = await m.remember(content, workspace=workspace)
    mentions = tuple(name if isinstance(name, Mention) else mention(name) for name in names)
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (no face takes a reading by itself)
        memory = tx.memories.get(kept.id)
        assert memory is not None
        replace_interpretation(
            tx, memory, Interpretation(mentions=mentions, inferred_by=InferredBy.MODEL), now=1
        )
    return kept.id


def snapshot(m: Memoria) -> AbstractContextManager[Transaction]:
    return m._store.read(m.tenant)  # noqa: SLF001  (an expansion is given a transaction)


def mention(name: str, *aliases: str, kind: EntityKind = "person") -> Mention:
    return Mention(name=name, kind=kind, aliases=aliases)


def expand(
    m: Memoria,
    question: str,
    start_scores: Mapping[str, float] | None = None,
    visible: Filters = SEEN,
) -> GraphExpansion:
    """What the graph finds from a question, and from memories that were found so well."""
    names = parse_query(question, query_terms(question), now_millis(), UTC_ZONE).names
    with snapshot(m) as tx:
        start_scores = start_scores or {}
        known = {i: tx.memories.get(i) for i in start_scores}
        scores = {memory.current.n: start_scores[i] for i, memory in known.items() if memory}
        return expand_graph(tx, names, scores, visible)


def documents(m: Memoria, *ids: str) -> list[int]:
    """The documents of memories."""
    with snapshot(m) as tx:
        memories = [tx.memories.get(i) for i in ids]
    return [memory.current.n for memory in memories if memory]


async def find(m: Memoria, question: str) -> list[str]:
    return [hit.id for hit in (await m.search_memory(question, limit=20)).hits]


@pytest.mark.parametrize(
    ("introduced", "name", "alias", "statement", "question"),
    [
        ("Linnet is what Anna is called", "Anna", "Linnet", "Anna has red hair", "Is Linnet tall?"),
        ("王磊的英文名是 Leo", "王磊", "Leo", "王磊对猫毛过敏", "What of Leo?"),
        ("May Chen is 陈雪梅", "May Chen", "陈雪梅", "May Chen keeps tortoises", "陈雪梅呢？"),
    ],
)
async def test_another_name_leads_to_what_shares_no_word(
    m: Memoria, introduced: str, name: str, alias: str, statement: str, question: str
) -> None:
    await tell(m, introduced, mention(name, alias))
    statement_id = await tell(m, statement, name)
    await tell(m, "Bo collects stamps", "Bo")
    (n,) = documents(m, statement_id)
    reached = expand(m, question)
    assert reached.entity_names[n] == {alias.lower()}
    assert reached.scores[n] > 0
    assert len(reached.scores) == 2


async def test_a_possessive_does_not_hide_a_name(m: Memoria) -> None:
    (n,) = documents(m, await tell(m, "Anna is married to Tomasz", "Anna"))
    assert expand(m, "Who is Anna's husband?").entity_names == {n: {"anna"}}


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("Nina looks after host Badger", "Nina sits in room 12", "Who looks after host Badger?"),
        ("陶艺课的老师叫 Nina", "Nina 的工作室在运河边", "陶艺课的老师在哪儿工作？"),
    ],
)
async def test_whom_a_hit_speaks_of_leads_to_what_else_is_known_of_them(
    m: Memoria, first: str, second: str, question: str
) -> None:
    first_id, second_id = await tell(m, first, "Nina"), await tell(m, second, "Nina")
    await tell(m, "Bo collects stamps", "Bo")
    found_n, led_to = documents(m, first_id, second_id)
    reached = expand(m, question, {first_id: 0.8})
    assert reached.via == {led_to: found_n}
    assert await find(m, question) == [first_id, second_id]


async def test_what_is_led_to_does_not_come_where_what_leads_there_does_not_answer(
    m: Memoria,
) -> None:
    await tell(m, "Nina looks after host Badger", "Nina")
    await tell(m, "Nina sits in room 12", "Nina")
    assert not (await m.search_memory("Which opera will the tenor sing on Sunday?")).answered


async def test_a_memory_of_two_that_are_named_is_before_those_of_one(m: Memoria) -> None:
    both = await tell(m, "Ann met Bo", "Ann", "Bo")
    ones = [await tell(m, f"{name} likes tea", name) for name in ("Ann", "Bo")]
    n, *others = documents(m, both, *ones)
    scores = expand(m, "What have Ann and Bo to do with each other?").scores
    assert scores[n] > max(scores[other] for other in others)


async def test_who_is_in_everything_says_little_and_who_is_in_few_much(m: Memoria) -> None:
    (rare,) = documents(m, await tell(m, "Bo likes tea", "Bo"))
    for i in range(40):
        await tell(m, f"Ann has done job {i}", "Ann")
    assert max(expand(m, "What of Ann?").scores.values()) == pytest.approx(8 / 40)
    assert expand(m, "What of Bo?").scores[rare] == pytest.approx(1)


async def test_nothing_is_led_to_by_who_is_in_everything(m: Memoria) -> None:
    ids = [await tell(m, f"Ann has done job {i}", "Ann") for i in range(12)]
    assert expand(m, "What about job 3?", {ids[3]: 0.9}).via == {}


async def test_no_expansion_goes_through_what_has_too_many_edges(
    m: Memoria, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.retrieval.sources.graph._TOO_MANY_EDGES", 5)
    first, *_ = [await tell(m, f"Ann has done job {i}", "Ann") for i in range(6)]
    rare = await tell(m, "Ann met Bo", "Ann", "Bo")
    beside = await tell(m, "Bo likes tea", "Bo")
    met, n = documents(m, rare, beside)
    assert expand(m, "What of Ann?", {first: 0.9}) == GraphExpansion()
    assert expand(m, "What of Ann?", {rare: 0.9}).via == {n: met}


async def test_a_rank_is_no_echo_of_having_been_found(m: Memoria) -> None:
    alone = await tell(m, "The ferry leaves at nine")
    assert expand(m, "When does it leave?", {alone: 1.0}).scores == {}


async def test_a_question_that_names_nobody_and_found_nothing_goes_nowhere(m: Memoria) -> None:
    await tell(m, "Anna has red hair", "Anna")
    assert expand(m, "What is the weather like?") == GraphExpansion()


async def test_another_projects_memories_are_never_reached(m: Memoria) -> None:
    here = await tell(m, "Anna works on the parser", "Anna", workspace="here")
    there = await tell(m, "Anna works on the payroll", "Anna", workspace="there")
    n, foreign = documents(m, here, there)
    for start in ({}, {here: 0.9}):
        reached = expand(m, "What does Anna do?", start, Filters(workspace="here"))
        assert foreign not in {*reached.scores, *reached.entity_names, *reached.via}
        assert n in reached.entity_names
    assert foreign in expand(m, "What does Anna do?", visible=Filters(everywhere=True)).entity_names


async def test_another_tenants_memories_are_never_reached(m: Memoria, home: Path) -> None:
    await tell(m, "Anna works on the payroll", "Anna")
    async with memoria.open(home, "other", settings=Settings.load(embedder="off")) as other:
        mine = await tell(other, "Anna likes figs", "Anna")
        assert [*expand(other, "What of Anna?").entity_names] == documents(other, mine)
        assert [*expand(other, "What of Anna?").scores] == documents(other, mine)


async def test_what_was_forgotten_or_put_away_is_never_reached(m: Memoria) -> None:
    kept = await tell(m, "Anna likes figs", "Anna")
    gone = await tell(m, "Anna likes plums", "Anna")
    away = await tell(m, "Anna likes pears", "Anna")
    await m.forget_memory([gone])
    await m.revise_memory(away, "archive")
    reached = expand(m, "What of Anna?", {kept: 0.9})
    assert {*reached.scores, *reached.entity_names, *reached.via} <= set(documents(m, kept))
    with snapshot(m) as tx:
        assert tx.graph.list_edges(Node("memory", gone), SEEN) == []


def test_the_graph_makes_a_hit_surer_and_alone_a_weak_one() -> None:
    assert add_graph_score(0.0, 1.0) == pytest.approx(GRAPH_CEILING)
    assert add_graph_score(0.5, 0.0) == 0.5
    assert 0.5 < add_graph_score(0.5, 0.5) < add_graph_score(0.5, 1.0) < 1
