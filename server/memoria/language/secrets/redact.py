"""Redaction of secrets in a text before it is stored; every other character stays as it was.

Secrets are known by vendors' published forms, or because a name, a header, an address or a sentence
says so. No rule asks for entropy: hashes, UUIDs and images must survive.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from memoria.language.reading.fences import drop_invisible, visible_places
from memoria.language.secrets.assignments import find_assigned
from memoria.language.secrets.formats import find_blocks, find_seed_phrases, find_tokens
from memoria.language.secrets.names import find_in_tables, find_names
from memoria.language.secrets.numbers import find_numbers
from memoria.language.secrets.places import find_in_commands, find_in_places
from memoria.language.secrets.values import MARKER_START, ReadText, Span


def find_secrets(text: str) -> list[Span]:
    """List the secrets of a text, in their order and without overlaps."""
    if spans := _find_in(text):
        return spans
    # Characters that nobody sees may split a secret, or the name of one.
    visible = drop_invisible(text)
    if len(visible) == len(text):
        return []
    places = visible_places(text)
    spans = _find_in(visible)
    return [Span(places[start], places[end - 1] + 1, kind) for start, end, kind in spans]


def _find_in(text: str) -> list[Span]:
    read = ReadText(text)
    return [_without_closers(text, span) for span in _join(list(_find_all(read)), read.markers)]


_CLOSERS = "\"'`”’」』》】）〉›»。，、；：？！"
"""Signs that close a quotation, brackets or a sentence, and end no secret."""


def _without_closers(text: str, span: Span) -> Span:
    """Return the span without what closes the words around the secret."""
    kept = len(text[span.start : span.end].rstrip(_CLOSERS))
    return span._replace(end=span.start + kept) if kept else span


def _find_all(read: ReadText) -> Iterator[Span]:
    # What says itself what it is comes first: where two overlap, the first one names the kind.
    yield from find_blocks(read)
    yield from find_tokens(read)
    yield from find_seed_phrases(read)
    yield from find_in_places(read)
    yield from find_numbers(read)
    yield from find_in_commands(read)
    names = list(find_names(read))
    yield from find_assigned(read, names)
    yield from find_in_tables(read, names)


def _join(found: list[Span], markers: list[tuple[int, int]]) -> list[Span]:
    """Join overlapping spans; what overlaps a marker has been redacted already."""
    joined, last_rank, marker = list[Span](), 0, 0
    for rank, span in sorted(enumerate(found), key=lambda one: one[1].start):
        while marker < len(markers) and markers[marker][1] <= span.start:
            marker += 1
        if marker < len(markers) and markers[marker][0] < span.end:
            continue
        if joined and span.start < joined[-1].end:
            last = joined.pop()
            span = Span(  # noqa: PLW2901
                last.start, max(last.end, span.end), last.kind if last_rank < rank else span.kind
            )
            last_rank = min(last_rank, rank)
        else:
            last_rank = rank
        joined.append(span)
    return joined


# In a row of tokens each may be recognised only after its neighbour was replaced: a sweep each.
_MAX_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Redaction:
    """Number of secrets of a kind that were taken out."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class RedactedText:
    """A text without its secrets, and what they were."""

    text: str
    redactions: tuple[Redaction, ...]


def redact(text: str) -> RedactedText:
    """Replace every secret in `text` by `[redacted:KIND]`."""
    total: Counter[str] = Counter()
    # A marker can be the boundary that a neighbour lacked. So sweeps are repeated until nothing is
    # found, and redacting the result again changes nothing.
    for _ in range(_MAX_SWEEPS):
        spans = find_secrets(text)
        if not spans:
            break
        text = _replace(text, spans)
        total.update(span.kind for span in spans)
    return RedactedText(text, tuple(Redaction(kind, count) for kind, count in total.items()))


def holds_a_key(value: str) -> bool:
    """Check whether a value is a key or password, or contains one."""
    return bool(redact(value).redactions) or any(map(_opens, value.split()))


def _opens(word: str) -> bool:
    """Check whether a URL has a password, or a query, where some endpoints want the key."""
    try:
        parts = urlsplit(word.strip("\"'"))
    except ValueError:  # no URL is written like that
        return False
    return bool(parts.scheme and parts.netloc and (parts.password or parts.query))


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces, end = list[str](), 0
    for span in spans:
        pieces += (text[end : span.start], f"{MARKER_START}{span.kind}]")
        end = span.end
    return "".join((*pieces, text[end:]))
