"""Nothing in the graph leads nowhere: doctor sees what does, and mends it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.store.plain import keep

import memoria
from memoria import Memoria
from memoria.model import Edge, EdgeType, Finding, Mention, Node
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import connect

SESSION = {"session_id": "s", "role": "user", "content": "Lin moved to Hangzhou"}


@pytest.fixture
async def memory(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=memoria.Settings(home=home, embedder="off")) as opened:
        yield opened


async def fill(memory: Memoria) -> None:
    """Two memories of Lin, drawn from a turn, one of a cat; Lin is the same as Dr Wei."""
    turn_id = (await memory.record_conversation([SESSION])).turns[0].id
    assert turn_id is not None
    store = SqliteStore(memory.settings.home_path / "memoria.db", busy_timeout_ms=10_000, readers=1)
    with store.write(memory.tenant) as tx:
        turn = tx.conversations.turn(turn_id)
        assert turn is not None
        tx.conversations.mark_processed([turn])
        said = ("Lin moved to Hangzhou", "Lin likes tea", "Dr Wei has a cat")
        kept = [keep(tx, text, turn_n=turn.n) for text in said]
        people = [
            tx.graph.upsert_entity(memory_id, Mention(name=name, kind="person"))
            for memory_id, name in zip(kept, ("Lin", "Lin", "Dr Wei"), strict=True)
        ]
        for memory_id, entity in zip(kept, people, strict=True):
            tx.graph.upsert_edges([edge(memory_id, EdgeType.MENTIONS, entity, turn_id)])
            tx.graph.upsert_edges(
                [edge(memory_id, EdgeType.DERIVED_FROM, Node("turn", turn_id), None)]
            )
        tx.graph.merge_entities(people[2].id, people[0].id)
    store.close()


def edge(memory_id: str, kind: EdgeType, dst: Node, turn_id: str | None) -> Edge:
    src = Node("memory", memory_id)
    return Edge(src=src, type=kind, dst=dst, weight=0.5, confidence=0.5, turn_id=turn_id, made_at=1)


def behind_its_back(memory: Memoria, *statements: str) -> None:
    connection = connect(memory.settings.home_path / "memoria.db", 10_000)
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def look(memory: Memoria) -> Finding:
    (found,) = [f for f in (await memory.health()).findings if f.check == "graph"]
    return found


async def test_a_sound_graph_is_found_sound(memory: Memoria) -> None:
    await fill(memory)
    assert (await memory.health()).is_sound
    assert (await look(memory)).detail == "6 edges, all held"


@pytest.mark.parametrize(
    ("damage", "detail", "left"),
    [
        (["DELETE FROM nodes WHERE turn_n IS NOT NULL"], "3 edges", 3),
        (["DELETE FROM nodes WHERE memory_n = 3"], "2 edges, 1 uses", 4),
        (["DELETE FROM entities WHERE canonical_n IS NULL"], "1 canonicals, 1 names, 1 nodes", 4),
        (["DELETE FROM entity_names WHERE name = 'Lin'"], "2 uses", 6),
        (["UPDATE edges SET turn_n = 99 WHERE turn_n IS NOT NULL"], "3 turns", 6),
        (["UPDATE nodes SET tenant_id = 7 WHERE memory_n = 1"], "2 edges", 4),
        (["INSERT INTO nodes (tenant_id) VALUES (1)"], "1 nodes", 6),
        (
            [
                "DROP TRIGGER names_leave_with_their_last_use",
                "DELETE FROM name_uses WHERE name_n = 2",
            ],
            "1 names",
            5,
        ),
    ],
)
async def test_doctor_sees_what_leads_nowhere_and_mends_it(
    memory: Memoria, damage: Sequence[str], detail: str, left: int
) -> None:
    await fill(memory)
    behind_its_back(memory, *damage)
    found = await look(memory)
    assert (found.state, found.cure) == ("error", "memoria doctor --fix")
    assert found.detail.startswith(f"lead nowhere: {detail}")
    await memory.rebuild_indexes()
    assert (await look(memory)).detail == f"{left} edges, all held"


async def test_what_the_graph_lost_is_no_damage_to_the_truth(memory: Memoria) -> None:
    await fill(memory)
    behind_its_back(memory, "DELETE FROM nodes")
    (integrity,) = [f for f in (await memory.health()).findings if f.check == "integrity"]
    assert integrity.state == "ok"
