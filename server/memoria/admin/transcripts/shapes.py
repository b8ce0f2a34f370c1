"""Helpers for JSON of other programs, in which any field may be missing or of another type."""

from collections.abc import Collection, Iterable

from pydantic import JsonValue

from memoria.admin.transcripts.source import JsonObject


def text(value: JsonValue) -> str | None:
    """The value if it is a text with anything in it."""
    return value if isinstance(value, str) and value else None


def obj(value: JsonValue) -> JsonObject:
    """The value if it is an object; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: JsonValue) -> list[JsonObject]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def block_text(block: JsonObject, kinds: Collection[str]) -> str:
    """A content block's text; of a picture or anything else, only what it is."""
    kind = text(block.get("type")) or "unknown"
    return text(block.get("text")) or "" if kind in kinds else f"[{kind}]"


def is_wrapped(words: str, wrappers: Iterable[tuple[str, str]]) -> bool:
    """Whether the text is wholly one of these (beginning, end): a client's words, not a person's.

    Both ends count, so that a person may still begin a prompt with such a tag.
    """
    inner = words.strip()
    return any(inner.startswith(begins) and inner.endswith(ends) for begins, ends in wrappers)


def without_spans(words: str, begins: str, ends: str) -> str:
    """The text without the spans between these tags. One that never ends is ordinary text."""
    kept: list[str] = []
    position = 0
    while (start := words.find(begins, position)) >= 0:
        end = words.find(ends, start)
        if end < 0:
            break
        kept.append(words[position:start])
        position = end + len(ends)
    return "".join([*kept, words[position:]])
