"""Edges have their caps, and at night what bore out a merged memory bears out its survivor."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import memoria.app.nightly as nights
from memoria.config import Settings
from memoria.graph.edges import EDGE_RULES
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

FULL = EDGE_RULES[EdgeType.ABOUT].cap


@contextmanager
def transaction(settings: Settings) -> Iterator[Transaction]:
    store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
    with closing(store), store.write(settings.tenant) as tx:
        yield tx


def written(settings: Settings, texts: Sequence[str]) -> list[str]:
    """The ids of new memories."""
    said = Provenance(source_kind="user_said", trust="user", channel=LIBRARY.name)
    with transaction(settings) as tx:
        new = [NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5) for _ in texts]
        for memory, text in zip(new, texts, strict=True):
            tx.memories.add(memory, NewVersion(text, fingerprint(text), 1, 1, said, None))
    return [memory.id for memory in new]


def outcomes(settings: Settings, *steps: str) -> list[dict[str, int]]:
    return [step.outcomes for step in nights.run_nightly(settings, steps or ["graph"]).steps]


def test_a_full_node_keeps_its_newest_edges_and_drops_the_others(settings: Settings) -> None:
    ids = written(settings, [f"Badger ate, {i}" for i in range(FULL + 2)])
    with transaction(settings) as tx:
        badger = tx.graph.upsert_entity(ids[0], Mention(name="Badger"))
        for i, memory_id in enumerate(ids, 1):
            assert tx.graph.upsert_entity(memory_id, Mention(name="Badger")) == badger
            tx.graph.upsert_edges([about(memory_id, badger, i)])
        kept = {edge.src.id for edge in tx.graph.list_edges(badger, Filters())}
    assert kept == set(ids[2:])


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
