"""Content that a program gives in parts: a list of texts, pictures, files, and lists of these."""

from collections.abc import Iterator, Mapping

_TEXT_KEYS = ("text", "content", "parts", "output")
HIDDEN = frozenset({"thinking", "redacted_thinking", "reasoning", "thoughts"})
"""Kinds of parts that nobody said."""
_MEDIA = ("image", "audio", "video", "file")
_MOST_DEPTH = 20


def content_text(value: object, joint: str = "\n\n") -> str:
    """Return the words of a content; of a picture or anything else, only what it is: `[image]`.

    >>> content_text([{"type": "text", "text": "See here:"}, {"type": "image"}], " ")
    'See here: [image]'

    Args:
        value: a text, a part with a text or with further parts, or a list of these.
        joint: what stands between two parts.
    """
    return joint.join(filter(None, _list_texts(value, _MOST_DEPTH)))


def _list_texts(value: object, depth: int) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() | tuple() | Mapping() if depth == 0:
            yield "[…]"
        case list() | tuple():
            for part in value:
                yield from _list_texts(part, depth - 1)
        case Mapping():
            yield from _list_part_texts(value, depth)


def _list_part_texts(part: Mapping[object, object], depth: int) -> Iterator[str]:
    kind = part.get("type") or part.get("content_type")
    if isinstance(kind, str) and kind in HIDDEN:
        return
    given = [part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str | list | Mapping)]
    if given:
        yield from _list_texts(next(filter(None, given), ""), depth - 1)
    elif isinstance(kind, str):
        yield f"[{_name_medium(kind)}]"


def _name_medium(kind: str) -> str:
    return next((medium for medium in _MEDIA if medium in kind), kind)
