"""Searchable text of a turn or a memory: its words, and its speaker and date.

A memory has no speaker, but it tells a property: what "keeps its data in Postgres" tells is the
database, and whoever asks for that uses the word.

The date is written out in words, because people search for "in May" and not for milliseconds.
"""

import json
from datetime import date
from functools import lru_cache
from typing import Protocol

from pydantic import JsonValue

from memoria.language.words.analyser import index_text
from memoria.model import from_millis
from memoria.model.moments import Zone

_DATE_TOKENS = 4
_LONGEST_PROPERTY = 3
"""Most words of a property's name; a longer one is a sentence."""
_MOST_PROPERTY_CHARS = 40


class TurnContent(Protocol):
    """The content of a turn, whether it is being captured or comes from the store."""

    @property
    def content(self) -> str: ...  # noqa: D102
    @property
    def tool_name(self) -> str | None: ...  # noqa: D102
    @property
    def tool_args(self) -> JsonValue: ...  # noqa: D102
    @property
    def tool_result(self) -> JsonValue: ...  # noqa: D102


class TurnText(TurnContent, Protocol):
    """A turn with its speaker and time."""

    @property
    def speaker(self) -> str | None: ...  # noqa: D102
    @property
    def at(self) -> int: ...  # noqa: D102
    @property
    def utc_offset(self) -> int | None: ...  # noqa: D102


def turn_tokens(turn: TurnText, zone: Zone) -> tuple[str, str]:
    """Return (tokens of the content, tokens of the speaker and the date).

    Args:
        turn: its date is that of its own offset, if it has one.
        zone: for the date of a turn without an offset.
    """
    said_in = zone.at_offset(turn.at, turn.utc_offset)
    return index_text(full_text(turn)), _who_and_when(turn.speaker, turn.at, said_in)


def memory_tokens(content: str, predicate: str | None, at: int, zone: Zone) -> tuple[str, str]:
    """Return (tokens of the wording, tokens of the told property and of the date)."""
    return index_text(content), _who_and_when(property_words(predicate), at, zone)


def property_words(predicate: str | None) -> str:
    """Return a property in words: `release_day` is asked for as the release day.

    Empty where a sentence stands in its place, as in memories that rules of former versions made.
    """
    words = (predicate or "").replace("_", " ")
    is_name = len(words.split()) <= _LONGEST_PROPERTY and len(words) <= _MOST_PROPERTY_CHARS
    return words if is_name else ""


def renew_context(context: str, before: str | None) -> str:
    """Return the tokens before a date as they are read now, and those of the date as stored.

    Args:
        context: as stored.
        before: a turn's speaker, or the property that a memory tells.
    """
    when = " ".join(context.split(" ")[-_DATE_TOKENS:])
    return f"{index_text(before)} {when}" if before else when


def full_text(turn: TurnContent) -> str:
    """Return all of a turn as one text: the words, then the tool call."""
    if turn.tool_name is None and turn.tool_args is None and turn.tool_result is None:
        return turn.content
    parts = (turn.content, turn.tool_name, as_text(turn.tool_args), as_text(turn.tool_result))
    return "\n".join(part for part in parts if part)


def as_text(value: JsonValue) -> str:
    """Return a JSON value as text: a string without quotation marks, anything else as JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


def _who_and_when(before: str | None, at: int, zone: Zone) -> str:
    when = _when(zone.date_of(at) or from_millis(at).date())
    return f"{index_text(before)} {when}" if before else when


@lru_cache(maxsize=64)
def _when(day: date) -> str:
    return index_text(f"{day:%A} {day.day} {day:%B} {day.year}")
