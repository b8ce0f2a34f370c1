"""At night edges that say nothing are set aside, and they come back when they say something."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

import pytest
from tests.lifecycle.dump import dump

import memoria.app.nightly as nights
from memoria.config import Settings
from memoria.graph.edges import EDGE_RULES
from memoria.graph.pruning import PrunableEdge, find_redundant_edges
from memoria.language.reading.statement import fingerprint
from memoria.model import (
    LIBRARY,
    Edge,
    EdgeType,
    MemoryType,
    Mention,
    Node,
    Provenance,
    Validity,
    new_id,
    now_millis,
)
from memoria.retrieval.sources.graph import expand_graph
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteStore
from memoria.store.values import Filters, NewMemory, NewVersion

GROUP = 20
ROOM = 16
FULL = EDGE_RULES[EdgeType.ABOUT].cap


@contextmanager
def transaction(settings: Settings) -> Iterator[Transaction]:
    store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
    with closing(store), store.write(settings.tenant) as tx:
        yield tx


def like(one: str, other: str, cosine: float) -> Edge:
    src, dst = Node("memory", one), Node("memory", other)
    return Edge(
        src=src, type=EdgeType.SIMILAR_TO, dst=dst, weight=cosine, confidence=cosine, made_at=1
    )


def written(settings: Settings, texts: Sequence[str]) -> list[str]:
    """The ids of new memories."""
    said = Provenance(source_kind="user_said", trust="user", channel=LIBRARY.name)
    with transaction(settings) as tx:
        new = [NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5) for _ in texts]
        for memory, text in zip(new, texts, strict=True):
            tx.memories.add(memory, NewVersion(text, fingerprint(text), 1, 1, said, None))
    return [memory.id for memory in new]


def crowd(settings: Settings) -> list[str]:
    """Memories of which all are neighbours of all, the nearer the closer they were said."""
    ids = written(settings, [f"a story of the cat, part {i}" for i in range(GROUP)])
    with transaction(settings) as tx:
        tx.graph.upsert_edges(
            like(ids[i], ids[j], 0.95 - 0.01 * (i - j)) for i in range(GROUP) for j in range(i)
        )
    return ids


def neighbours(settings: Settings, ids: Sequence[str]) -> Mapping[str, int]:
    """How many neighbours by meaning each has, hidden ones included."""
    with transaction(settings) as tx:
        every = Filters(include_history=True, everywhere=True)
        return {
            i: sum(
                e.type is EdgeType.SIMILAR_TO for e in tx.graph.list_edges(Node("memory", i), every)
            )
            for i in ids
        }


def stand(settings: Settings, memory_id: str, validity: Validity) -> None:
    with transaction(settings) as tx:
        tx.memories.set_validity(memory_id, validity, now_millis())


def outcomes(settings: Settings, *steps: str) -> list[dict[str, int]]:
    return [step.outcomes for step in nights.run_nightly(settings, steps or ["graph"]).steps]


def test_neighbours_of_the_archived_are_set_aside_and_come_back_with_them(
    settings: Settings,
) -> None:
    ids = written(settings, ("the port is 8080", "the port is 8081", "the port is 9090"))
    with transaction(settings) as tx:
        tx.graph.upsert_edges([like(ids[0], ids[1], 0.9), like(ids[1], ids[2], 0.8)])
    stand(settings, ids[0], Validity.ARCHIVED)
    assert outcomes(settings) == [{"done": 1}]
    assert (
        nights.undo_nightly(settings, nights.list_runs(settings, 1)[0].id, lambda _: None).kept == 0
    )
    assert outcomes(settings) == [{"done": 1}]
    assert neighbours(settings, ids) == {ids[0]: 0, ids[1]: 1, ids[2]: 1}
    assert outcomes(settings) == [{}]
    stand(settings, ids[0], Validity.ACTIVE)
    assert neighbours(settings, ids) == {ids[0]: 1, ids[1]: 2, ids[2]: 1}
    assert outcomes(settings) == [{}]


def test_a_crowd_is_thinned_out_and_an_undo_brings_all_of_it_back(settings: Settings) -> None:
    ids = crowd(settings)
    before = dump(settings.home_path)
    [done] = outcomes(settings)
    left = neighbours(settings, ids)
    assert done["done"] == GROUP * (GROUP - 1) // 2 - sum(left.values()) // 2 > 0
    assert min(left.values()) >= ROOM
    assert outcomes(settings) == [{}]
    nights.undo_nightly(settings, nights.list_runs(settings, 2)[1].id, lambda _: None)
    assert dump(settings.home_path) == before


def test_what_a_crowd_lost_comes_back_when_the_crowd_is_gone(settings: Settings) -> None:
    ids = crowd(settings)
    outcomes(settings)
    ends = ids[0], ids[-1]
    assert max(neighbours(settings, ends).values()) < GROUP - 1
    with transaction(settings) as tx:
        for memory_id in ids[1:-1]:
            tx.memories.set_validity(memory_id, Validity.ARCHIVED, now_millis())
    outcomes(settings)
    outcomes(settings)
    assert neighbours(settings, ends) == {ends[0]: 1, ends[1]: 1}


def test_what_is_cut_at_the_cap_has_its_place_again_when_there_is_room(settings: Settings) -> None:
    ids = written(settings, [f"Badger ate, {i}" for i in range(FULL + 2)])
    with transaction(settings) as tx:
        badger = tx.graph.upsert_entity(ids[0], Mention(name="Badger"))
        for i, memory_id in enumerate(ids, 1):
            assert tx.graph.upsert_entity(memory_id, Mention(name="Badger")) == badger
            tx.graph.upsert_edges([about(memory_id, badger, i)])
        assert len(tx.graph.list_edges(badger, Filters())) == FULL
    assert outcomes(settings) == [{}]
    with transaction(settings) as tx:
        for memory_id in ids[-3:]:
            tx.memories.erase(memory_id)
    assert outcomes(settings) == [{"done": 2}]
    with transaction(settings) as tx:
        assert len(tx.graph.list_edges(badger, Filters())) == len(ids) - 3


def about(memory_id: str, thing: Node, at: int) -> Edge:
    return Edge(
        src=Node("memory", memory_id), type=EdgeType.ABOUT, dst=thing, weight=0.5, confidence=0.5,
        made_at=at,
    )  # fmt: skip


def test_a_survivor_rests_on_what_bore_out_the_merged(settings: Settings) -> None:
    one, other, proof = written(settings, ("Lin eats no nuts", "Lin avoids nuts", "Lin had a rash"))
    ends = {EdgeType.SUPPORTS: proof, EdgeType.VERSION_NEXT: one}
    with transaction(settings) as tx:
        tx.graph.upsert_edges(
            Edge(
                src=Node("memory", other), type=kind, dst=Node("memory", end), weight=0.7,
                confidence=0.7, made_at=1,
            )
            for kind, end in ends.items()
        )  # fmt: skip
        tx.memories.set_validity(other, Validity.SUPERSEDED, now_millis())
        tx.pairs.note_merged(other, one)
    assert outcomes(settings) == [{"done": 1}]
    with transaction(settings) as tx:
        [edge] = tx.graph.list_edges(Node("memory", one), Filters())
    assert (edge.type, edge.dst, edge.weight) == (EdgeType.SUPPORTS, Node("memory", proof), 0.7)
    assert outcomes(settings) == [{}]


def test_what_is_forgotten_is_forgotten_in_the_cold_too(settings: Settings) -> None:
    ids = written(settings, ("the port is 8080", "the port is 8081"))
    with transaction(settings) as tx:
        tx.graph.upsert_edges([like(ids[0], ids[1], 0.9)])
    stand(settings, ids[0], Validity.ARCHIVED)
    outcomes(settings)
    assert len(dump(settings.home_path)["pruned_edges"]) == 1
    with transaction(settings) as tx:
        tx.memories.erase(ids[1])
    assert dump(settings.home_path)["pruned_edges"] == []


@pytest.mark.parametrize(
    ("near", "kept", "gone"),
    [(0.75, False, 1), (0.75, True, 0), (0.95, False, 3)],
    ids=["three nearer ones", "a model has ruled", "not near enough in a crowd"],
)
def test_a_tie_goes_that_nearer_ones_make_needless(near: float, kept: bool, gone: int) -> None:
    ties = [PrunableEdge((i, j), i, j, 0.9) for i in range(5) for j in range(i) if (i, j) != (4, 0)]
    found = find_redundant_edges([*ties, PrunableEdge((4, 0), 4, 0, 0.8, kept)], 2, near)
    assert len(found) >= gone
    assert ((4, 0) in found) is not kept


def test_a_walk_from_a_concept_reaches_its_members_and_from_a_member_its_concept(
    settings: Settings,
) -> None:
    concept, *members = written(settings, ("Lin's allergies", "no nuts", "no shellfish"))
    with transaction(settings) as tx:
        tx.graph.upsert_edges(
            Edge(
                src=Node("memory", concept), type=EdgeType.DERIVED_FROM, dst=Node("memory", member),
                weight=0.8, confidence=0.8, made_at=1,
            )
            for member in members
        )  # fmt: skip
        ns = [found.current.n for i in (concept, *members) if (found := tx.memories.get(i))]
        down = expand_graph(tx, (), {ns[0]: 1.0}, Filters()).scores
        up = expand_graph(tx, (), {ns[1]: 1.0}, Filters()).scores
    assert set(down) >= set(ns[1:])
    assert set(up) >= {ns[0]}
