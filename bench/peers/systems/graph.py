"""The reference server's knowledge graph: an entity a turn, the words its observation."""

from functools import partial
from pathlib import Path

from bench.peers.client import Connection, Launch
from bench.peers.envs import Npm
from bench.peers.notes import Note
from bench.peers.systems.system import System
from bench.peers.systems.words import word_by_word


def _launch(environment: Path, folder: Path) -> Launch:
    server = environment / "node_modules" / ".bin" / "mcp-server-memory"
    kept = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
    return Launch((str(server),), folder, kept)


async def store_entity(connection: Connection, note: Note, longest: int | None = None) -> bool:
    """A turn as an entity with one observation, or with as many as its length needs.

    Args:
        connection: to the server.
        note: the turn.
        longest: characters that one observation may have.
    """
    text, size = note.text, longest or max(len(note.text), 1)
    entity = {
        "name": f"{note.turn.session_id} turn {note.number}",
        "entityType": "conversation turn",
        "observations": [text[start : start + size] for start in range(0, len(text), size)],
    }
    await connection.call("create_entities", entities=[entity])
    return True


async def _look(connection: Connection, query: str) -> str:
    return await connection.call("search_nodes", query=query)


async def _ask(connection: Connection, question: str, _: int) -> str:
    return await _look(connection, question)


SYSTEM = System(
    name="server-memory",
    package=Npm("@modelcontextprotocol/server-memory@2026.8.31"),
    embeds="no",
    launch=_launch,
    store=store_entity,
    ways={"default": _ask, "word by word": partial(word_by_word, _look)},
)
