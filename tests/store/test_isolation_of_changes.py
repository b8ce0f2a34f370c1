"""Nobody can change what is another tenant's, whatever numbers and ids they name."""

import pytest
from tests.store.tenant_life import marks
from tests.store.tenant_reads import EVERY, known

from memoria.errors import NotFoundError
from memoria.memories.details import StatementDetails
from memoria.memories.statements import Statements
from memoria.model import (
    LIBRARY,
    Edge,
    EdgeType,
    MemoryType,
    Mention,
    Node,
)
from memoria.store.joined_rows import JoinedRows
from memoria.store.sqlite import SqliteStore


def test_nobody_can_change_anothers_memories_turns_or_sessions(two: SqliteStore) -> None:
    them = known(two, "ann")
    with two.read("ann") as tx:
        before = [tx.memories.get(i) for i in them.memory_ids], tx.conversations.turns(them.ns)
    statements = Statements(two, "bob", LIBRARY, marks("bob"))
    for memory_id in them.memory_ids:
        with pytest.raises(NotFoundError):
            statements.revise(memory_id, "archive", None)
    for turn_id in them.turn_ids:
        with pytest.raises(NotFoundError):
            statements.remember("x", MemoryType.FACT, StatementDetails(turn_id=turn_id))
    with two.write("bob") as tx:
        tx.conversations.close_idle_segments(1 << 60)
        assert not any(tx.queue.retry(i) or tx.queue.drop(i) for i in them.entry_ids)
    with two.read("ann") as tx:
        assert (
            [tx.memories.get(i) for i in them.memory_ids],
            tx.conversations.turns(them.ns),
        ) == before


def test_nobody_can_pass_over_anothers_turns_or_join_anothers_projects(two: SqliteStore) -> None:
    them = known(two, "ann")
    with two.read("ann") as tx:
        before = tx.conversations.list_passed_over(them.ns), tx.projects.list_held()
    with two.write("bob") as tx:
        tx.conversations.pass_over(them.ns)
        tx.projects.join("a project", "another")
        assert [one.name for one in tx.projects.list_held()] == ["another"]
        theirs = JoinedRows(1, 2, [*them.sessions], [*them.memory_ids], [*range(9)])
        for former, into in ((1, 2), (2, 1), (1, 0), (0, 1)):
            tx.projects.part(theirs._replace(former=former, into=into), 1 << 60)
    with two.read("ann") as tx:
        after = tx.conversations.list_passed_over(them.ns), tx.projects.list_held()
    assert after == before


def test_nobody_can_change_anothers_graph(two: SqliteStore) -> None:
    them = known(two, "ann")
    (port,) = them.entities
    with two.read("ann") as tx:
        before = tx.graph.neighbours(them.nodes, EVERY), tx.graph.find_entities(["the port"], EVERY)
    ends = [Node("memory", i) for i in them.memory_ids]
    ends += [*(Node("turn", i) for i in them.turn_ids), Node("entity", port.id)]
    with two.write("bob") as tx:
        own = tx.memories.list_unverified(1)[0].id
        mine = tx.graph.upsert_entity(own, Mention(name="the port"))
        for memory_id in them.memory_ids:
            tx.graph.remove_extracted(memory_id)
            with pytest.raises(NotFoundError):
                tx.graph.upsert_entity(memory_id, Mention(name="the port"))
        for turn_id in them.turn_ids:
            tx.graph.remove_turn_names(turn_id)
            with pytest.raises(NotFoundError):
                tx.graph.upsert_turn_entity(turn_id, Mention(name="the port"))
        for end in ends:
            with pytest.raises(NotFoundError):
                tx.graph.upsert_edges([_supports(Node("memory", own), end)])
        for first, second in ((port.id, mine.id), (mine.id, port.id)):
            with pytest.raises(NotFoundError):
                tx.graph.merge_entities(first, second)
        with pytest.raises(NotFoundError):
            tx.graph.split_entity(port.id)
        for memory_id in them.memory_ids:
            tx.pairs.copy_evidence(own, memory_id, 10)
            tx.pairs.copy_evidence(memory_id, own, 10)
            tx.pairs.absorb(memory_id, own, "tool", 0.1)
            tx.pairs.absorb(own, memory_id, "reported", 0.9)
            tx.pairs.note_merged(memory_id, own)
            tx.pairs.mark_distinct(memory_id, own)
    with two.read("ann") as tx:
        after = tx.graph.neighbours(them.nodes, EVERY), tx.graph.find_entities(["the port"], EVERY)
    assert after == before


def _supports(src: Node, dst: Node) -> Edge:
    return Edge(src=src, type=EdgeType.SUPPORTS, dst=dst, weight=1, confidence=1, made_at=1)
