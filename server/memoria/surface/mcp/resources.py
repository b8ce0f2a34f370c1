"""Resources: what a client may put into a prompt without asking a tool."""

import json
from importlib import resources
from pathlib import Path

from memoria.app import Memoria
from memoria.model import SessionRecord
from memoria.model.core import CoreFile
from memoria.store.files import read_core, strip_marks
from memoria.store.folders import tenant_folder
from memoria.surface.mcp.lean import LeanServer
from memoria.surface.text import indent_stored, memory_text, scratchpads_text, turn_citation
from memoria.text.document import full_text
from memoria.text.strip import fence

_MARKDOWN = "text/markdown"
_SESSION_CHARS = 60_000


def load_text(name: str) -> str:
    """One of our own texts."""
    return resources.files("memoria.surface.mcp").joinpath("texts", name).read_text("utf-8")


def add_resources(server: LeanServer) -> None:
    """Register every resource."""

    @server.resource("memory://guide", mime_type=_MARKDOWN)
    def guide() -> str:
        """How this memory works and when to use which tool."""
        return load_text("guide.md")

    @server.resource("memory://scratchpad", mime_type=_MARKDOWN)
    async def scratchpad() -> str:
        """What the latest sessions are working on."""
        return fence(scratchpads_text(await server.memory.scratchpads()))

    @server.resource("memory://core/MEMORY.md", mime_type=_MARKDOWN)
    def memory_file() -> str:
        """Core memory: what always matters."""
        return core_text(server.memory, "MEMORY.md")

    @server.resource("memory://core/USER.md", mime_type=_MARKDOWN)
    def user_file() -> str:
        """Core memory: who the user is."""
        return core_text(server.memory, "USER.md")

    @server.resource("memory://memories/{memory_id}")
    async def memory(memory_id: str) -> str:
        """A memory with its history and sources."""
        return fence(memory_text(await server.memory.get_memory(memory_id)))

    @server.resource("memory://sessions/{session_id}")
    async def session(session_id: str) -> str:
        """A session's first turns, verbatim."""
        return fence(_session_text(await server.memory.get_session(session_id)))

    @server.resource("memory://status", mime_type="application/json")
    async def status() -> str:
        """How much is stored, and whether vectors are ready."""
        memory = server.memory
        figures = (await memory.statistics()).model_dump(mode="json", exclude_none=True)
        return json.dumps({**figures, "embedder": memory.embedder_state}, ensure_ascii=False)


def core_resources(memory: Memoria) -> dict[str, Path]:
    """The core files that resources show, by their URI."""
    folder = tenant_folder(memory.settings.home_path, memory.tenant)
    return {f"memory://core/{name}": folder / name for name in ("MEMORY.md", "USER.md")}


def core_text(memory: Memoria, name: CoreFile) -> str:
    """A core memory file of the tenant's, without its marks, fenced as data."""
    folder = tenant_folder(memory.settings.home_path, memory.tenant)
    return fence(strip_marks(read_core(folder, name)))


def _session_text(record: SessionRecord) -> str:
    """A session's turns, tool calls included, as far as a resource should go."""
    shown: list[str] = []
    left = _SESSION_CHARS
    for turn in record.turns:
        entry = f"[turn {turn.id}] {turn_citation(turn)}\n    {indent_stored(full_text(turn))}"
        if len(entry) > left:
            break
        shown.append(entry)
        left -= len(entry)
    if len(shown) < record.total:
        shown.append(
            f"… {len(shown)} of {record.total} turns; search_conversation_traces has the rest"
        )
    return "\n\n".join(shown)
