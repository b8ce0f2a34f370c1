"""Walks from whom a question names: what they reach, where they stop, and how they are told."""

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from tests.retrieval.test_graph_expansion import (
    SEEN,
    documents,
    expand,
    find,
    mention,
    snapshot,
    tell,
)
from tests.store.insides import noted_work

import memoria
from memoria import Memoria, Settings
from memoria.retrieval.sources.graph import expand_graph
from memoria.store.values import Filters
from memoria.surface.cli.answers import explanation_lines


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors, so that only words and names find anything."""
    async with memoria.open(home, "tests", settings=Settings.load(embedder="off")) as opened:
        yield opened


async def tell_chain(m: Memoria, *names: str) -> list[str]:
    """Remember a memory of each name and the next, and one of the last."""
    ids = [await tell(m, f"{one} belongs to {other}", one, other) for one, other in pairwise(names)]
    return [*ids, await tell(m, f"{names[-1]} is based in Leeds", names[-1])]


async def way_of(m: Memoria, question: str, memory_id: str) -> str | None:
    found = await m.search_memory(question, limit=20, explain=True)
    assert found.explanation is not None
    return next(one.way for one in found.explanation.candidates if one.id == memory_id)


async def test_a_walk_reaches_what_is_two_steps_from_a_name(m: Memoria) -> None:
    ids = await tell_chain(m, "Anna", "Acme", "Globex")
    direct, nearer, farther = documents(m, *ids)
    assert expand(m, "Where is Anna's group?").walk.leaders == {nearer: direct, farther: nearer}


async def test_a_walk_goes_no_further_than_three_memories(m: Memoria) -> None:
    *_, last = documents(m, *await tell_chain(m, "Anna", "Acme", "Globex", "Initech"))
    assert last not in expand(m, "Where is Anna's group?").walk.leaders


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("Robert Chen", "Bob", "Where is the firm of Bob based?"),
        ("王建国", "老王", "老王的公司在哪儿？"),
    ],
)
async def test_a_walk_begins_at_whichever_spelling_of_a_name(
    m: Memoria, one: str, other: str, question: str
) -> None:
    await tell(m, f"{other} is {one}", mention(one, other))
    works = await tell(m, f"{one} is at Acme", one, "Acme")
    direct, reached = documents(m, works, await tell(m, "Acme sits in Leeds", "Acme"))
    assert expand(m, question).walk.leaders == {reached: direct}


async def test_a_walk_goes_on_through_whichever_spelling_of_a_name(m: Memoria) -> None:
    await tell(m, "Priscilla goes by Pris", mention("Priscilla", "Pris"))
    married = await tell(m, "Anna is married to Pris", "Anna", "Pris")
    direct, reached = documents(m, married, await tell(m, "Priscilla is an oboist", "Priscilla"))
    assert expand(m, "What does Anna's wife play?").walk.leaders[reached] == direct


async def test_no_walk_begins_at_a_hub_or_goes_through_one(m: Memoria) -> None:
    await tell_chain(m, "Anna", "Acme")
    for job in range(9):
        await tell(m, f"Acme has job {job}", "Acme")
    owned = await tell(m, "Acme belongs to Globex", "Acme", "Globex")
    await tell(m, "Globex is based in York", "Globex")
    assert expand(m, "Where is Anna's firm?").walk.leaders == {}
    assert expand(m, "Where is the owner of Acme?", {owned: 0.9}).walk.leaders == {}


async def test_a_walk_asks_no_more_of_the_store_where_there_is_more(m: Memoria) -> None:
    await tell_chain(m, "Anna", "Acme", "Globex")
    few = count_statements(m, "Anna")
    for place in range(7):
        await tell(m, f"Anna knows Firm{place}", "Anna", f"Firm{place}")
        await tell(m, f"Firm{place} makes tea", f"Firm{place}")
    assert count_statements(m, "Anna") <= few


def count_statements(m: Memoria, name: str) -> int:
    """How often the store is asked while the graph is expanded from a name."""
    with snapshot(m) as tx, noted_work(tx) as work:
        expand_graph(tx, [name], {}, SEEN)
    return len(work.statements)


async def test_a_walk_stays_in_what_the_asking_project_sees(m: Memoria) -> None:
    await tell(m, "Anna is at Acme", "Anna", "Acme", workspace="here")
    there = await tell(m, "Acme sits in Leeds", "Acme", workspace="there")
    (foreign,) = documents(m, there)
    assert expand(m, "Where is Anna?", visible=Filters(workspace="here")).walk.leaders == {}
    assert foreign in expand(m, "Where is Anna?", visible=Filters(everywhere=True)).walk.leaders


async def test_what_was_forgotten_leads_nowhere(m: Memoria) -> None:
    first, _ = await tell_chain(m, "Anna", "Acme")
    await tell(m, "Anna likes figs", "Anna")
    await m.forget_memory([first])
    assert expand(m, "Where is Anna's firm?").walk.leaders == {}


async def tell_office(m: Memoria) -> Sequence[str]:
    """Remember who works where, where that is, and much else of the same person."""
    works = await tell(m, "Anna works at the firm Acme", "Anna", "Acme")
    office = await tell(m, "Acme sits in a town by the sea", "Acme")
    for thing in ("figs", "tea", "rain", "jazz"):
        await tell(m, f"Anna works on {thing} at weekends", "Anna")
    return works, office


async def test_what_a_walk_reaches_is_right_behind_what_leads_there(m: Memoria) -> None:
    works, office = await tell_office(m)
    assert (await find(m, "In which town is the firm where Anna works at weekends?"))[:2] == [
        works,
        office,
    ]


async def test_what_bears_on_nothing_that_was_asked_is_not_moved_up(m: Memoria) -> None:
    works, office = await tell_office(m)
    found = await find(m, "Which firm does Anna work for?")
    assert found[0] == works
    assert office not in found[:5]


async def test_an_explanation_shows_the_way_from_the_name_to_the_memory(m: Memoria) -> None:
    works, office = await tell_office(m)
    question = "In which town is the firm where Anna works at weekends?"
    assert await way_of(m, question, office) == "Anna → “Anna works at the firm Acme” → Acme"
    assert await way_of(m, question, works) == "Anna"
    assert await way_of(m, "Which firm is it?", office) == "“Anna works at the firm Acme” → Acme"
    found = await m.search_memory(question, explain=True)
    assert found.explanation is not None
    told = [" ".join(line.split()) for line in explanation_lines(found.explanation)]
    assert "way: Anna → “Anna works at the firm Acme” → Acme → this" in told


async def test_what_no_name_leads_to_has_no_way(m: Memoria) -> None:
    alone = await tell(m, "The ferry leaves at nine")
    assert await way_of(m, "When does the ferry leave?", alone) is None
