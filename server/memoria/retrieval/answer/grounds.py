"""Marks of memories and turns whose files have changed, and where these stand in an answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from memoria.model import Hit, StoredTurn
from memoria.model.grounds import GroundMark
from memoria.retrieval.answer.lines import AnswerLine
from memoria.retrieval.ranking.candidates import MemoryWording
from memoria.store.rows.transaction import Transaction

_UNKNOWN = GroundMark(state="not checked")


class ReadGrounds(Protocol):
    """Function that returns the states of memories and turns of a repository, by their ids."""

    def __call__(
        self, tx: Transaction, memory_ids: Sequence[str], turns: Sequence[StoredTurn] = ()
    ) -> Mapping[str, GroundMark]:
        """Return the states of those that are bound to files."""
        ...


def read_line_grounds(
    tx: Transaction, read: ReadGrounds, lines: Iterable[AnswerLine]
) -> Mapping[str, GroundMark]:
    """Return the states of the memories and turns among lines that are bound to files."""
    documents = [line.candidate.document for line in lines]
    ids = [one.memory.id for one in documents if isinstance(one, MemoryWording)]
    return read(tx, ids, [one for one in documents if isinstance(one, StoredTurn)])


def step_back(
    lines: Sequence[AnswerLine], marks: Mapping[str, GroundMark]
) -> tuple[AnswerLine, ...]:
    """Return lines with what has changed behind what has not; all others keep their places.

    Args:
        lines: lines of an answer, best first.
        marks: the states of those that are bound to files.
    """
    places = [
        place
        for place, line in enumerate(lines)
        if line.shown_as is None and marks.get(line.candidate.id, _UNKNOWN).state != "not checked"
    ]
    ordered = sorted(
        places, key=lambda place: marks[lines[place].candidate.id].state != "unchanged"
    )
    moved = [*lines]
    for place, source in zip(places, ordered, strict=True):
        moved[place] = lines[source]
    return tuple(moved)


def mark_grounds(hits: Iterable[Hit], marks: Mapping[str, GroundMark]) -> tuple[Hit, ...]:
    """Mark the hits that are bound to files."""
    return tuple(
        hit.model_copy(update={"ground": marks[hit.id]}) if hit.id in marks else hit for hit in hits
    )
