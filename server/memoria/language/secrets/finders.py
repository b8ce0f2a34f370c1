"""All finders together: the spans of the secrets in a text."""

from collections.abc import Iterator

from memoria.language.reading.invisible import drop_invisible, visible_places
from memoria.language.secrets.assignments import find_assigned
from memoria.language.secrets.blocks import find_blocks
from memoria.language.secrets.commands import find_in_commands
from memoria.language.secrets.formats import find_tokens
from memoria.language.secrets.names import find_names
from memoria.language.secrets.numbers import find_numbers
from memoria.language.secrets.places import find_in_places
from memoria.language.secrets.seeds import find_seed_phrases
from memoria.language.secrets.span import ReadText, Span
from memoria.language.secrets.tables import find_in_tables


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
