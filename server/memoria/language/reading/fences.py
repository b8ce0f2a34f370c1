"""Fences and invisible characters: stored text is shown so that it can't pass for anything else.

Tag characters spell whole sentences that no screen shows, zero-width characters and soft hyphens
split words, and direction marks let a line read otherwise than it is stored. Before a model they
are shown as escapes (`show_invisible`), or taken out where it could not use them
(`drop_invisible`). The record keeps them. What writing needs stays: joiners within emoji and in the
scripts that join their letters by them, a variation selector after what it varies, the tags of a
flag, and marks beside letters that are written from right to left.

Text that Memoria puts into a prompt is fenced in `<memoria>` tags. When a client records the
conversation, those blocks come back with it; stored, they would be read as new statements. So
`strip` removes them, as it does private spans.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.core import ToldLine

Span = tuple[int, int]
INVISIBLE = (
    "\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that show nothing by themselves, as the inside of a character class."""
_EMOJI = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_VARIED = f"{_EMOJI}#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299"
_JOINING = (  # Arabic, Syriac, N'Ko; the scripts of India; Tibetan, Burmese, Khmer, Mongolian
    "\u0600-\u061b\u061d-\u08ff\ufb50-\ufdff\ufe70-\ufefc\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3"
    "\u17b6-\u17ff\u1820-\u18af"
)
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff"
_FROM_RIGHT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_NEEDED = "|".join(
    (
        f"(?:(?<=[{_EMOJI}])|(?<=[{_VARIED}]\ufe0f))\u200d(?=[{_EMOJI}])",
        f"(?<=[{_VARIED}])[\ufe0e\ufe0f]",
        "(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f",
        f"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])",
        f"(?<=[{_UNSPACED}])\u200b(?=[{_UNSPACED}])",
        f"(?<=[{_FROM_RIGHT}])[\u200e\u200f\u061c]|[\u200e\u200f\u061c](?=[{_FROM_RIGHT}])",
        f"(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e01ef]",
        "(?<=[\u1820-\u18af])[\u180b-\u180f]",
    )
)
_HIDDEN = lazy_regex(rf"(?:(?!{_NEEDED})[{INVISIBLE}])+|(?:{_NEEDED})(?P<needed>)")
_ANY = lazy_regex(f"[{INVISIBLE}]")
_ASCII = bytes((*range(0x09), *range(0x0E, 0x20), 0x7F))
"""Invisible ASCII characters, as bytes: looking among bytes is faster than a pattern."""
_MOST_SHOWN = 4


def show_invisible(text: str) -> str:
    r"""Replace invisible characters by escapes: `\u{200b}`, and of many the first."""
    return _HIDDEN.sub(_show, text) if _has_invisible(text) else text


def drop_invisible(text: str) -> str:
    """Return the text without invisible characters."""
    return _HIDDEN.sub(_drop, text) if _has_invisible(text) else text


def visible_places(text: str) -> list[int]:
    """List the places of the characters that `drop_invisible` leaves, and the text's length."""
    hidden = (match.span() for match in _HIDDEN.finditer(text) if match["needed"] is None)
    edges = [0, *chain.from_iterable(hidden), len(text)]
    seen = (range(edges[i], edges[i + 1]) for i in range(0, len(edges), 2))
    return [*chain.from_iterable(seen), len(text)]


def _has_invisible(text: str) -> bool:
    if text.isascii():
        return not text.isprintable() and len(text.encode().translate(None, _ASCII)) < len(text)
    return _ANY.search(text) is not None


def _show(match: re.Match[str]) -> str:
    if match["needed"] is not None:
        return match[0]
    first = "".join(f"\\u{{{ord(char):x}}}" for char in match[0][:_MOST_SHOWN])
    more = len(match[0]) - _MOST_SHOWN
    return f"{first}[+{more} invisible]" if more > 0 else first


def _drop(match: re.Match[str]) -> str:
    return match[0] if match["needed"] is not None else ""


_FENCE = lazy_regex("`{3,}")


def fence_block(text: str, label: str = "") -> str:
    """Put a text between fences of more backticks than the text has in a row.

    No character of the text is changed.
    """
    fence = "`" * (1 + max(map(len, _FENCE.findall(text)), default=2))
    return f"{fence}{label}\n{text}\n{fence}"


def indent_lines(text: str, indent: str) -> str:
    """Indent all lines of a text but the first."""
    return show_invisible(f"\n{indent}".join(_split_lines(text)))


def join_lines(text: str) -> str:
    """Return the text in one line."""
    return show_invisible(" ".join(_split_lines(text)))


def _split_lines(text: str) -> list[str]:
    """Split at all that a reader may take for an end of line; a last end leaves an empty line."""
    if text.isprintable():  # as nothing is that ends a line
        return [text]
    lines = f"{text}.".splitlines()  # with the dot a last end counts as well
    return [*lines[:-1], lines[-1][:-1]]


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
    for start, end in join_spans(pair_tags(_TAG, text)):
        kept.append(text[position:start])
        position = end
        blocks += 1
    kept.append(text[position:])
    return StrippedText("".join(kept), blocks)


def fence(text: str) -> str:
    """Put `text` in a block that a reader takes for data and that `strip` recognises.

    Invisible characters are shown as escapes.
    """
    return f"<{FENCE}>\n{escape_fences(show_invisible(text))}\n</{FENCE}>"


def fence_lines(lines: Sequence[ToldLine]) -> Iterator[ToldLine]:
    """Yield the lines as `fence` shows them, between the lines that begin and end the fence.

    The whole text is fenced at once, as a tag may run over the end of a line. That adds and removes
    no end of a line, so each line is found again.
    """
    fenced = iter(fence("\n".join(line.text for line in lines)).split("\n"))
    yield ToldLine(next(fenced))
    for line in lines:
        shown = islice(fenced, line.text.count("\n") + 1)
        yield replace(line, text="\n".join(shown))
    yield ToldLine(next(fenced))


def escape_fences(text: str) -> str:
    """Return `text` without any tag that would begin or end a fence."""
    return _TAG_START.sub("‹", text)


def pair_tags(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield the span of every pair of tags, inner pairs too, in one pass over a text.

    Args:
        pattern: matches a tag, with its `name`, and `close` if it is a closing tag.
        text: the text.
    """
    open_tags: defaultdict[str, list[int]] = defaultdict(list)
    for tag in pattern.finditer(text):
        starts = open_tags[tag["name"].lower()]
        if not tag["close"]:
            starts.append(tag.start())
        elif starts:
            yield starts.pop(), tag.end()


def join_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans in their order, those that overlap joined."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif start < end:
            joined.append((start, end))
    return tuple(joined)
