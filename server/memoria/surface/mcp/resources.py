"""Resources: what a client may put into a prompt without asking a tool."""

import json
from importlib import resources

from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from memoria.app import Memoria
from memoria.errors import NotFoundError
from memoria.model import Scratchpad
from memoria.store.files import CoreFile, read_core
from memoria.surface.mcp.lean import LeanServer
from memoria.surface.text import memory_text, scratchpad_text, turn_place
from memoria.text.strip import fence

_MARKDOWN = "text/markdown"


def text(name: str) -> str:
    """One of our own texts."""
    return resources.files("memoria.surface.mcp").joinpath("texts", name).read_text("utf-8")


def add_resources(server: LeanServer) -> None:
    """Register every resource."""

    @server.resource("memory://guide", mime_type=_MARKDOWN)
    def guide() -> str:
        """How this memory works and when to use which tool."""
        return text("guide.md")

    @server.resource("memory://scratchpad", mime_type=_MARKDOWN)
    async def scratchpad() -> str:
        """What the latest sessions are working on."""
        return fence(scratchpads_text(await server.memory.scratchpads()))

    @server.resource("memory://core/{name}", mime_type=_MARKDOWN)
    def core(name: str) -> str:
        """Core memory: MEMORY.md (what always matters), USER.md (who the user is)."""
        return core_text(server.memory, name)

    @server.resource("memory://memories/{memory_id}")
    async def memory(memory_id: str) -> str:
        """A memory with its history and sources."""
        try:
            return fence(memory_text(await server.memory.get_memory(memory_id)))
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error

    @server.resource("memory://sessions/{session_id}")
    async def session(session_id: str) -> str:
        """A session's first turns, verbatim."""
        try:
            record = await server.memory.get_session(session_id)
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        return fence("\n\n".join(f"[{turn_place(t)}]\n{t.content}" for t in record.turns))

    @server.resource("memory://status", mime_type="application/json")
    async def status() -> str:
        """How much is stored, and whether vectors are ready."""
        memory = server.memory
        figures = (await memory.statistics()).model_dump(mode="json", exclude_none=True)
        return json.dumps({**figures, "embedder": memory.embedder_state}, ensure_ascii=False)


def core_text(memory: Memoria, name: str) -> str:
    """A core memory file, fenced as data.

    Raises:
        ResourceNotFoundError: there is no such file.
    """
    files: dict[str, CoreFile] = {"MEMORY.md": "MEMORY.md", "USER.md": "USER.md"}
    if name not in files:
        raise ResourceNotFoundError(f"There is no core file {name}: {', '.join(files)}.")
    return fence(read_core(memory.settings.home_path, files[name]))


def scratchpads_text(pads: list[Scratchpad]) -> str:
    """Scratchpads as Markdown."""
    return "\n\n".join(scratchpad_text(pad) for pad in pads) or "No task is noted."
