"""Removal of what must never be stored: private spans, and blocks that Memoria itself has injected.

Text that Memoria puts into a prompt is fenced in `<memoria>` tags. When a client records the
conversation, those blocks come back with it; stored, they would be read as new statements.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.invisible import show_invisible

FENCE = "memoria"
_TAG = lazy_regex(
    rf"<(?P<close>/)?(?P<name>private|{FENCE})(?:\s[^<>]{{0,200}})?>", re.IGNORECASE | re.ASCII
)
_TAG_START = lazy_regex(rf"<(?=\s*/?\s*(?:private|{FENCE})\b)", re.IGNORECASE | re.ASCII)
"""Also matches what is no tag, as `</ memoria>`: a model may take it for the end all the same."""


@dataclass(frozen=True, slots=True)
class StrippedText:
    """The text without the blocks, and how many were removed."""

    text: str
    blocks: int


def strip(text: str) -> StrippedText:
    """Remove every `<private>` span and every block that Memoria itself has injected.

    Nested blocks go with the outer one. A tag that is never closed is ordinary text: somebody
    writing about tags must not lose the rest of the turn.
    """
    if "</" not in text:
        return StrippedText(text, 0)
    kept: list[str] = []
    position = blocks = 0
    for start, end in _outermost_spans(sorted(_block_spans(text))):
        kept.append(text[position:start])
        position = end
        blocks += 1
    kept.append(text[position:])
    return StrippedText("".join(kept), blocks)


def fence(text: str) -> str:
    """Put `text` in a block that a reader takes for data and that `strip` recognises.

    Invisible characters in it are shown.
    """
    return f"<{FENCE}>\n{escape_fences(show_invisible(text))}\n</{FENCE}>"


def escape_fences(text: str) -> str:
    """Return `text` without any tag that would begin or end a fence."""
    return _TAG_START.sub("‹", text)


def _block_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield every tag pair's span, inner ones too, in one pass over the text."""
    open_tags: dict[str, list[int]] = {"private": [], FENCE: []}
    for tag in _TAG.finditer(text):
        starts = open_tags[tag["name"].lower()]
        if not tag["close"]:
            starts.append(tag.start())
        elif starts:
            yield starts.pop(), tag.end()


def _outermost_spans(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans without those inside of others; overlapping spans are joined."""
    current: tuple[int, int] | None = None
    for start, end in spans:
        if current is None or start >= current[1]:
            if current is not None:
                yield current
            current = (start, end)
        else:
            current = (current[0], max(current[1], end))
    if current is not None:
        yield current
