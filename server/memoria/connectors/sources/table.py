"""The sources there are, by name. The order is that in which a file is tried."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memoria.connectors.packages import SOURCES_GROUP, guard_call, load_connectors
from memoria.connectors.sources.basic_memory import BASIC_MEMORY
from memoria.connectors.sources.chatgpt import CHATGPT
from memoria.connectors.sources.claude_ai import CLAUDE_AI
from memoria.connectors.sources.claude_mem import CLAUDE_MEM
from memoria.connectors.sources.conversations import TRANSCRIPTS
from memoria.connectors.sources.cursor import CURSOR
from memoria.connectors.sources.goose import GOOSE
from memoria.connectors.sources.interface import ImportSource
from memoria.connectors.sources.mem0 import MEM0
from memoria.connectors.sources.memories_json import MEMORIES_JSON
from memoria.connectors.sources.memory_service import MEMORY_SERVICE
from memoria.connectors.sources.notes import NOTES, OBSIDIAN
from memoria.connectors.sources.opencode import OPENCODE
from memoria.connectors.sources.server_memory import SERVER_MEMORY

_SOURCES = (
    *TRANSCRIPTS,
    CURSOR,
    OPENCODE,
    GOOSE,
    CHATGPT,
    CLAUDE_AI,
    SERVER_MEMORY,
    MEM0,
    MEMORY_SERVICE,
    CLAUDE_MEM,
    MEMORIES_JSON,
    BASIC_MEMORY,
    OBSIDIAN,
    NOTES,
)
SOURCES: Mapping[str, ImportSource] = {source.name: source for source in _SOURCES}


def list_sources(
    packages: Sequence[str], warn: Callable[[str], None]
) -> Mapping[str, ImportSource]:
    """List the sources there are with those of other packages, which are tried first.

    Args:
        packages: the packages that the settings name.
        warn: told of what can't be loaded.
    """
    loaded = load_connectors(packages, SOURCES_GROUP, ImportSource, SOURCES, warn)
    return {**{one.name: _keep_apart(one, warn) for one in loaded}, **SOURCES}


def _keep_apart(source: ImportSource, warn: Callable[[str], None]) -> ImportSource:
    """Guard what is asked of a source while others are tried, too."""
    none: list[Path] = []
    find_places = guard_call(source.name, lambda: [*source.places()], none, warn)

    def list_places() -> Iterator[Path]:
        yield from find_places()

    recognises = guard_call(source.name, source.recognises, False, warn)
    return replace(source, recognises=recognises, places=list_places)
