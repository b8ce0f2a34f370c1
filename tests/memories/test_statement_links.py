"""What is stated finds its place in the graph, as what is concluded does."""

from pathlib import Path

from tests.ingest.play import memories

import memoria
from memoria import Memoria, Settings
from memoria.model import EdgeType, Node
from memoria.store.values import Filters


def named(m: Memoria, memory_id: str) -> set[str]:
    """The names of what a memory mentions."""
    seen = Filters(everywhere=True)
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (the plain edges)
        edges = tx.graph.list_edges(Node("memory", memory_id), seen)
        mentioned = (edge.dst.id for edge in edges if edge.type is EdgeType.MENTIONS)
        found = (tx.graph.get_entity(entity_id, seen) for entity_id in mentioned)
        return {entity.name for entity in found if entity is not None}


async def test_an_explicit_statement_is_linked_to_whom_it_speaks_of(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        kept = await m.remember("Anna Keller moved to Leeds with Tom.")
        assert named(m, kept.id) >= {"Anna Keller", "Leeds"}


async def test_a_corrected_statement_is_linked_anew(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        kept = await m.remember("Anna Keller moved to Leeds.")
        await m.revise_memory(kept.id, "correct", "Anna Keller moved to York.")
        assert "York" in named(m, kept.id)
        assert "Leeds" not in named(m, kept.id)
        assert len(await memories(m)) == 1
