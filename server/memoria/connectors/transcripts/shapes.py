"""Helpers for JSON of other programs, in which any field may be missing or of another type."""

import json
from collections.abc import Collection, Iterable

from pydantic import JsonValue

from memoria.connectors.transcripts.source import JsonObject
from memoria.model.content import HIDDEN, content_text

_HIDDEN = tuple(HIDDEN)  # what a type is compared with may be anything
_MOST_DEPTH = 20


def text(value: JsonValue) -> str | None:
    """Return the value if it is a text with anything in it."""
    return value if isinstance(value, str) and value else None


def obj(value: JsonValue) -> JsonObject:
    """Return the value if it is an object; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def parse_json(value: object, instead: JsonValue = None) -> JsonValue:
    """Parse the JSON in a text; return `instead` where there is none.

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
    """Parse the JSON object in a text; None where there is none."""
    parsed = parse_json(value)
    return parsed if isinstance(parsed, dict) else None


def objects(value: JsonValue) -> list[JsonObject]:
    """List the objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def blocks(value: JsonValue, depth: int = _MOST_DEPTH) -> list[JsonObject]:
    """List the blocks of a content: of a list in a list too, and of texts that stand there bare."""
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
    """Return the text of a value, be it in parts; None where there is none."""
    return content_text(value) or None


def block_words(block: JsonObject) -> str:
    """Return the words of a block, whatever kind it is, unless it is one that nobody says."""
    return "" if block.get("type") in _HIDDEN else content_text(block.get("text"))


def result_text(value: JsonValue) -> str | None:
    """Return the text of a tool's result, a line each part; None where it has none."""
    return content_text(value, "\n") or None


def block_text(block: JsonObject, kinds: Collection[str]) -> str:
    """Return a content block's text; of a picture or anything else, only what it is."""
    kind = text(block.get("type")) or "unknown"
    told = words(block.get("text")) or words(block.get("content"))
    return told or "" if told or kind in kinds else f"[{kind}]"


def is_wrapped(words: str, wrappers: Iterable[tuple[str, str]]) -> bool:
    """Check whether one of these (beginning, end) wraps the text: a client's words, no person's.

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
    """Cut the spans between these tags. One that never ends is ordinary text."""
    kept: list[str] = []
    position = 0
    while (start := words.find(begins, position)) >= 0:
        end = words.find(ends, start)
        if end < 0:
            break
        kept.append(words[position:start])
        position = end + len(ends)
    return "".join([*kept, words[position:]])
