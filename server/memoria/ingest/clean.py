"""Cleaning: secrets and calls of our own tools are removed from a turn before all else.

Every text of the turn is cleaned (`language/reading/clean`), in tool calls too. Without our own
calls no memory is made from a memory, and no search finds what was searched for.
"""

from dataclasses import dataclass

from pydantic import JsonValue

from memoria.language.reading.clean import (
    Tally,
    clean_json,
    clean_metadata,
    clean_text,
    is_own_call,
)
from memoria.model import Turn
from memoria.model.metadata import NO_METADATA, Metadata


@dataclass(frozen=True, slots=True)
class CleanTurn:
    """The texts of a turn as they will be stored."""

    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue
    metadata: Metadata

    @property
    def is_empty(self) -> bool:
        """True if nothing is left that could be stored."""
        return not self.content.strip() and self.tool_args is None and self.tool_result is None


def clean_turn(turn: Turn, tally: Tally) -> CleanTurn:
    """Return a turn's texts without secrets; none for a call of our own tools."""
    if is_own_call(turn):
        return CleanTurn("", turn.tool_name, None, None, NO_METADATA)
    return CleanTurn(
        content=clean_text(turn.content, tally),
        tool_name=turn.tool_name,
        tool_args=clean_json(turn.tool_args, tally),
        tool_result=clean_json(turn.tool_result, tally),
        metadata=clean_metadata(turn.metadata, tally),
    )
