"""yantrikdb-mcp: a memory a turn, dated as its documentation asks of old conversations.

Its engine brings a small embedding model along, the default of a new store, and searches by it, by
words and by a graph of entities.
"""

from pathlib import Path

from bench.peers.client import Connection, Launch
from bench.peers.envs import Pip
from bench.peers.notes import Note
from bench.peers.systems.system import HITS, Ask, System

_USER = "user"
"""One of its sources of a memory."""


def _launch(environment: Path, folder: Path) -> Launch:
    kept = {"YANTRIKDB_DB_PATH": str(folder / "memory.db")}
    return Launch((str(environment / "bin" / "yantrikdb-mcp"),), folder, kept)


async def _store(connection: Connection, note: Note) -> bool:
    answer = await connection.call(
        "remember",
        text=note.text,
        memory_type="episodic",
        source=_USER if note.is_by_person else "inference",
        created_at=note.at.isoformat(),
    )
    return '"recorded"' in answer


def _ask(**narrowed: str) -> Ask:
    async def ask(connection: Connection, question: str, _: int) -> str:
        return await connection.call("recall", query=question, top_k=HITS, **narrowed)

    return ask


SYSTEM = System(
    name="yantrikdb-mcp",
    package=Pip("yantrikdb-mcp==0.24.0"),
    embeds="static word vectors, bundled (64 numbers)",
    launch=_launch,
    store=_store,
    ways={"default": _ask()},
    of_user={"source: user": _ask(source=_USER)},
)
