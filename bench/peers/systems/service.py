"""mcp-memory-service: a memory a turn, vectors in SQLite.

Installed without extras it has no model to embed with and says so; it then stores vectors of hashed
words, its documented fallback. Its extras want a model from a hub.
"""

from pathlib import Path

from bench.peers.client import Connection, Launch
from bench.peers.envs import Pip
from bench.peers.notes import Note
from bench.peers.systems.system import HITS, Ask, System


def _launch(environment: Path, folder: Path) -> Launch:
    return Launch((str(environment / "bin" / "memory"), "server"), folder)


async def _store(connection: Connection, note: Note) -> bool:
    # The conversation's id is how its documentation keeps turns that are alike from being merged.
    answer = await connection.call(
        "memory_store",
        content=note.text,
        conversation_id=note.turn.session_id,
        metadata={"tags": [str(note.turn.role)]},
    )
    return "successfully" in answer


def _ask(**options: object) -> Ask:
    async def ask(connection: Connection, question: str, _: int) -> str:
        return await connection.call("memory_search", query=question, limit=HITS, **options)

    return ask


SYSTEM = System(
    name="mcp-memory-service",
    package=Pip("mcp-memory-service==12.2.0", extensions=True),
    embeds="hashed words (no model)",
    launch=_launch,
    store=_store,
    ways={"default": _ask(), "hybrid": _ask(mode="hybrid")},
    of_user={
        "tag: user": _ask(tags=["user"]),
        "hybrid, tag: user": _ask(mode="hybrid", tags=["user"]),
    },
)
