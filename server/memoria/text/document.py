"""What of a turn or a memory can be searched: its words, and who said it and when.

Both engines index exactly these tokens. The date is written out, because people ask "in May"
and never in milliseconds.
"""

import json
from datetime import date
from functools import lru_cache
from typing import Protocol

from pydantic import JsonValue

from memoria.model import from_millis
from memoria.text.analyser import index_text


class TurnContent(Protocol):
    """What was said and done in a turn, whether it is on its way in or comes from the store."""

    @property
    def content(self) -> str: ...  # noqa: D102
    @property
    def tool_name(self) -> str | None: ...  # noqa: D102
    @property
    def tool_args(self) -> JsonValue: ...  # noqa: D102
    @property
    def tool_result(self) -> JsonValue: ...  # noqa: D102


class TurnText(TurnContent, Protocol):
    """A turn with who said it and when."""

    @property
    def speaker(self) -> str | None: ...  # noqa: D102
    @property
    def at(self) -> int: ...  # noqa: D102


def turn_tokens(turn: TurnText) -> tuple[str, str]:
    """(tokens of what was said and done, tokens of who and when)."""
    return index_text(full_text(turn)), _who_and_when(turn.speaker, turn.at)


def memory_tokens(content: str, at: int) -> tuple[str, str]:
    """(tokens of the wording, tokens of when)."""
    return index_text(content), _who_and_when(None, at)


def full_text(turn: TurnContent) -> str:
    """All of a turn as one text: the words, then the tool call."""
    parts = (turn.content, turn.tool_name, as_text(turn.tool_args), as_text(turn.tool_result))
    return "\n".join(part for part in parts if part)


def as_text(value: JsonValue) -> str:
    """A JSON value as a person would read it: strings bare, the rest as JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


def _who_and_when(speaker: str | None, at: int) -> str:
    when = _when(from_millis(at).date())
    return f"{index_text(speaker)} {when}" if speaker else when


@lru_cache(maxsize=64)
def _when(day: date) -> str:
    return index_text(f"{day:%A} {day.day} {day:%B} {day.year}")
