"""Marks of memories whose files have changed, and where these stand in an answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from memoria.model import Hit
from memoria.model.grounds import GroundMark
from memoria.retrieval.answer.lines import AnswerLine
from memoria.retrieval.ranking.candidates import MemoryWording
from memoria.store.rows.transaction import Transaction

_RANKS = {"unchanged": 0, "not checked": 0, "changed": 1, "gone": 2}


ReadGrounds = Callable[[Transaction, Sequence[str]], Mapping[str, GroundMark]]
"""Function that returns the states of those of some memories that are bound to files."""


def read_line_grounds(
    tx: Transaction, read: ReadGrounds, lines: Iterable[AnswerLine]
) -> Mapping[str, GroundMark]:
    """Return the states of the memories among lines that are bound to files."""
    documents = (line.candidate.document for line in lines)
    ids = [one.memory.id for one in documents if isinstance(one, MemoryWording)]
    return read(tx, ids) if ids else {}


def step_back(
    lines: Sequence[AnswerLine], marks: Mapping[str, GroundMark]
) -> tuple[AnswerLine, ...]:
    """Return lines with changed memories behind unchanged ones; all others keep their places.

    Args:
        lines: lines of an answer, best first.
        marks: the states of those that are bound to files.
    """
    places = [
        place
        for place, line in enumerate(lines)
        if line.shown_as is None and line.candidate.id in marks
    ]
    ordered = sorted(places, key=lambda place: _RANKS[marks[lines[place].candidate.id].state])
    moved = [*lines]
    for place, source in zip(places, ordered, strict=True):
        moved[place] = lines[source]
    return tuple(moved)


def mark_grounds(hits: Iterable[Hit], marks: Mapping[str, GroundMark]) -> tuple[Hit, ...]:
    """Mark the hits that are bound to files."""
    return tuple(
        hit.model_copy(update={"ground": marks[hit.id]}) if hit.id in marks else hit for hit in hits
    )
