"""Helpers for messages in other programs' JSON, where any field may be missing or of any type."""

import json
from collections.abc import Collection, Iterable

from pydantic import JsonValue

from memoria.connectors.transcripts.source import JsonObject
from memoria.model import Role
from memoria.model.turn import UNSAID_PARTS, content_text

SPEAKERS = {"user": Role.USER, "assistant": Role.ASSISTANT}
"""Speakers by the names that most programs give to their roles."""
_HIDDEN = tuple(UNSAID_PARTS)  # what a type is compared with may be anything
_MOST_DEPTH = 20


def text(value: JsonValue) -> str | None:
    """Return the value if it is a text and not empty; None for any other value."""
    return value if isinstance(value, str) and value else None


def obj(value: JsonValue) -> JsonObject:
    """Return the value if it is an object; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def parse_json(value: object, instead: JsonValue = None) -> JsonValue:
    """Parse the JSON in a text; return `instead` where the value holds no JSON.

    >>> parse_json('{"a": 1}'), parse_json("a", "a"), parse_json(None)
    ({'a': 1}, 'a', None)
    """
    written = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    try:
        parsed: JsonValue = json.loads(written) if isinstance(written, str) else instead
    except (ValueError, RecursionError):
        return instead
    return parsed


def parse_object(value: object) -> JsonObject | None:
    """Parse the JSON object in a text; None where the value holds no object."""
    parsed = parse_json(value)
    return parsed if isinstance(parsed, dict) else None


def objects(value: JsonValue) -> list[JsonObject]:
    """List the objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def blocks(value: JsonValue, depth: int = _MOST_DEPTH) -> list[JsonObject]:
    """List the blocks of a content, also of lists in a list; a bare text is a block of text."""
    match value:
        case str():
            return [{"type": "text", "text": value}] if value else []
        case dict():
            return [value]
        case list() if depth:
            return [block for one in value for block in blocks(one, depth - 1)]
        case _:
            return []


def words(value: JsonValue) -> str | None:
    """Return the text of a value, whole or in parts; None where the value has no text."""
    return content_text(value) or None


def block_words(block: JsonObject) -> str:
    """Return the words of a block of any kind but those that nobody says, such as thinking."""
    return "" if block.get("type") in _HIDDEN else content_text(block.get("text"))


def result_text(value: JsonValue) -> str | None:
    """Return the text of a tool's result, a line for each part; None for no text."""
    return content_text(value, "\n") or None


def block_text(block: JsonObject, kinds: Collection[str]) -> str:
    """Return a content block's text; for a block without text, its kind, such as `[image]`."""
    kind = text(block.get("type")) or "unknown"
    told = words(block.get("text")) or words(block.get("content"))
    return told or "" if told or kind in kinds else f"[{kind}]"


def is_wrapped(words: str, wrappers: Iterable[tuple[str, str]]) -> bool:
    """Check whether a (beginning, end) wraps the text: then a client wrote it, and no person.

    Both ends count, so that a person may still begin a prompt with such a tag.
    """
    inner = words.strip()
    return any(inner.startswith(begins) and inner.endswith(ends) for begins, ends in wrappers)


def without_quotes(words: str) -> str:
    """Cut the quotes in which OpenCode wraps an argument that has a blank."""
    inner = words[1:-1]
    is_wrapped = len(words) > 1 and words[0] == words[-1] == '"' and " " in inner
    if not is_wrapped or '"' in inner.replace('\\"', ""):
        return words
    return inner.replace('\\"', '"')


def without_spans(words: str, begins: str, ends: str) -> str:
    """Cut the spans between two tags. A span that never ends is ordinary text."""
    kept: list[str] = []
    position = 0
    while (start := words.find(begins, position)) >= 0:
        end = words.find(ends, start)
        if end < 0:
            break
        kept.append(words[position:start])
        position = end + len(ends)
    return "".join([*kept, words[position:]])
