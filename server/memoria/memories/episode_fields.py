"""Fields of an episode beside its sentence: what its turns have, and what a model gave."""

from collections.abc import Sequence
from dataclasses import replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.memories.wordings import NewWording
from memoria.model import Memory, MemoryType, StoredTurn, to_iso
from memoria.model.metadata import MetadataValue, write_metadata

MOST_TOOLS = 8
_TOOL_NAME = lazy_regex(r"[\w.:/-]{1,64}")
_WORDED = ("goal", "outcome")
"""Fields that a model gave in the words of the episode's sentence."""


def find_tool_name(turn: StoredTurn) -> str:
    """Return the name of the turn's tool, unless it is too long or strange to be a name."""
    name = turn.tool_name or ""
    return name if _TOOL_NAME.fullmatch(name) else ""


def list_tools(turns: Sequence[StoredTurn]) -> list[str]:
    """List the tools that were called in turns, in order, as far as a summary names them."""
    return [*dict.fromkeys(filter(None, map(find_tool_name, turns)))][:MOST_TOOLS]


def describe_span(turns: Sequence[StoredTurn]) -> dict[str, MetadataValue]:
    """Return the fields that turns have: `tools`, `started_at` and `ended_at`."""
    tools, times = list_tools(turns), [turn.at for turn in turns]
    span = {"started_at": to_iso(min(times)), "ended_at": to_iso(max(times))}
    return {"tools": tools, **span} if tools else {**span}


def drop_reworded(wording: NewWording, memory: Memory) -> NewWording:
    """Return a new wording of an episode that drops a goal or outcome which it words no more."""
    if memory.type is not MemoryType.EPISODE or wording.metadata is not None:
        return wording
    former, fields = memory.content, dict(memory.metadata)
    for name in _WORDED:
        told = fields.get(name)
        if isinstance(told, str) and told in former and told not in wording.content:
            del fields[name]
    return replace(wording, metadata=write_metadata(fields))
