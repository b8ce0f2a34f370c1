"""Notes: what there is to know of an answer beside its hits, a line each, within what is left.

The most important come first, for in a small budget the last ones make room.
"""

from collections.abc import Iterator

from memoria.model import OtherProjects, SearchResult
from memoria.retrieval.answer.elsewhere import COUNT_UP_TO
from memoria.retrieval.answer.form import indent_words, write_hits
from memoria.text.budget import QUARTERS, count_quarters

NOTHING_FOUND = "Nothing relevant is on record."
_UNPROCESSED = (
    "unprocessed is what was said and no chat model has read yet, or what waits for the user's "
    "word: no settled conclusion"
)


def list_notes(result: SearchResult) -> list[str]:
    """What there is to know of an answer beside its hits, a sentence each."""
    notes = [result.hint] if result.hint else []
    if any(hit.status == "unprocessed" for hit in result.hits):
        notes.append(_UNPROCESSED)
    notes += result.notes
    if result.nearest_topics:
        topics = "; ".join(f"“{topic}”" for topic in map(indent_words, result.nearest_topics))
        notes.append(f"the nearest topics on record: {topics}")
    return notes + ([_describe_elsewhere(result.elsewhere)] if result.elsewhere else [])


def write_answer(result: SearchResult) -> str:
    """An answer as a text of no more tokens than it may have, estimated."""
    lines = write_hits(result.hits, result.id_chars)
    left = result.max_tokens * QUARTERS - sum(count_quarters(f"{line}\n") for line in lines)
    for line in _list_lines(result):
        cost = count_quarters(f"{line}\n")
        if cost <= left:
            lines.append(line)
            left -= cost
    return "\n".join(lines)


def notes_cost(result: SearchResult) -> int:
    """Tokens that all there is to say beside the hits takes, estimated."""
    quarters = sum(count_quarters(f"{line}\n") for line in _list_lines(result))
    return -(-quarters // QUARTERS)


def _list_lines(result: SearchResult) -> Iterator[str]:
    notes = list_notes(result)
    if not result.hits and not result.omitted:
        yield notes.pop(0) if result.hint else NOTHING_FOUND
    if result.omitted:
        yield f"{result.omitted} more did not fit; raise max_tokens to see them."
    if result.beyond_limit:
        yield f"{result.beyond_limit} more match; raise limit to see them."
    if result.hidden:
        yield f"{result.hidden} superseded or archived; ask with include_history."
    yield from (f"note: {note}" for note in notes)


def _describe_elsewhere(other: OtherProjects) -> str:
    count = f"{COUNT_UP_TO}+" if other.matches > COUNT_UP_TO else str(other.matches)
    match = "matches" if other.matches == 1 else "match"
    named = f" ({', '.join(map(indent_words, other.projects))})" if other.projects else ""
    return f"{count} more {match} in other projects{named}; ask with workspace=*"
