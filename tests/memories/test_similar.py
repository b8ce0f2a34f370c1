"""Memories that mean nearly the same are neighbours, however they came in."""

from pathlib import Path

import memoria
from memoria import Memoria, Settings
from memoria.inference.bundled import BundledEmbedder
from memoria.model import EdgeType, Node
from memoria.store.values import Filters

HOME = "The user lives in Leeds"
AGAIN = "The user's home is in Leeds"
OTHER = "The user works as a nurse"


def neighbours(m: Memoria, memory_id: str) -> dict[str, float]:
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (the plain edges)
        edges = tx.graph.list_edges(Node("memory", memory_id), Filters(everywhere=True))
    like = [edge for edge in edges if edge.type is EdgeType.SIMILAR_TO]
    return {(edge.dst if edge.src.id == memory_id else edge.src).id: edge.weight for edge in like}


async def test_statements_that_mean_nearly_the_same_are_linked_once_they_have_vectors(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(settings=Settings(home=home), embedder=embedder) as m:
        first, second, third = [(await m.remember(text)).id for text in (HOME, AGAIN, OTHER)]
        await m.wait_until_idle(60)
        found = neighbours(m, first)
        assert list(found) == [second]
        assert 0.75 <= found[second] <= 1
        assert neighbours(m, third) == {}


async def test_another_wording_has_other_neighbours_and_a_forgotten_one_none(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(settings=Settings(home=home), embedder=embedder) as m:
        first, second = [(await m.remember(text)).id for text in (HOME, AGAIN)]
        await m.wait_until_idle(60)
        await m.revise_memory(second, "correct", "The user's dog is called Rex")
        await m.wait_until_idle(60)
        assert neighbours(m, first) == {}
        third = (await m.remember(AGAIN)).id
        await m.wait_until_idle(60)
        assert list(neighbours(m, first)) == [third]
        await m.forget_memory([third])
        assert neighbours(m, first) == {}


async def test_tenants_are_no_neighbours(home: Path, embedder: BundledEmbedder) -> None:
    async with memoria.open(settings=Settings(home=home, tenant="ann"), embedder=embedder) as ann:
        await ann.remember(HOME)
        await ann.wait_until_idle(60)
    async with memoria.open(settings=Settings(home=home, tenant="bob"), embedder=embedder) as bob:
        own = (await bob.remember(AGAIN)).id
        await bob.wait_until_idle(60)
        assert neighbours(bob, own) == {}
