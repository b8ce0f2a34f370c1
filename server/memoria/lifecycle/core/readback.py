"""Actions for the user's edits, from the last version of a file, its text now and the store.

Nothing is decided twice and nothing is overwritten: where hand and conversation have both changed
something, both are shown until one of them is chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from memoria.lifecycle.core.compare import Edits, compare_lines
from memoria.lifecycle.core.lines import render_text
from memoria.lifecycle.core.parse import Document, Line, digest
from memoria.model.base import Value
from memoria.model.core import CoreFile, CoreLine, EditConflict, LineStatus
from memoria.model.memory import Validity
from memoria.policy.core import CONFLICTS, SAID

_FEW = 3
"""Number of lines that may be deleted at once, however few there are."""


class CorrectMemory(Value):
    """A changed line: the memory says this now."""

    do: Literal["correct"] = "correct"
    memory_id: str
    text: str


class ArchiveMemory(Value):
    """A deleted line: the memory is archived."""

    do: Literal["archive"] = "archive"
    memory_id: str


class RememberLine(Value):
    """A new line below one of our headings, or a bullet below one of the user's own."""

    do: Literal["remember"] = "remember"
    text: str
    group: str
    """Empty below a heading of the user's own."""
    heading: str = ""
    """The user's own."""
    quote: str = ""
    """End of the id of the quote that the user has replaced by these words."""


class MoveLine(Value):
    """A line that stands in another file now: its memory is seen where that file is read."""

    do: Literal["move"] = "move"
    memory_id: str
    text: str
    origin: CoreFile
    """The file that it stood in."""


class ShowConflict(Value):
    """A changed line whose memory was changed in a conversation as well: neither wins."""

    do: Literal["conflict"] = "conflict"
    memory_id: str
    user_edit: str


class AskFirst(Value):
    """A deleted line that needs confirmation: its memory was changed, or most lines are gone."""

    do: Literal["ask"] = "ask"
    memory_id: str


class KeepLine(Value):
    """A line that needed confirmation stays."""

    do: Literal["keep"] = "keep"
    memory_id: str


class SettleDispute(Value):
    """A conflict is settled: the memory says this, and the other wording is archived."""

    do: Literal["settle"] = "settle"
    memory_id: str
    pending_id: str
    text: str


class WithdrawEdit(Value):
    """A conflict is settled: the user's wording is withdrawn."""

    do: Literal["dismiss"] = "dismiss"
    pending_id: str


Action: TypeAlias = Annotated[
    CorrectMemory
    | ArchiveMemory
    | RememberLine
    | MoveLine
    | ShowConflict
    | AskFirst
    | KeepLine
    | SettleDispute
    | WithdrawEdit,
    Field(discriminator="do"),
]


@dataclass(frozen=True, slots=True)
class StoredState:
    """The stored state of a file's lines."""

    base: Sequence[CoreLine]
    standing: Mapping[str, LineStatus]
    """Status of each memory by id; one that was erased is missing."""
    disputes: Sequence[EditConflict]


def find_edits(document: Document, known: StoredState) -> list[Action]:
    """Find the actions that the edits in a file ask for.

    Args:
        document: the file as it stands.
        known: what it said when it was last written, and where its memories stand now.
    """
    edits = compare_lines(known.base, document)
    disputed = _ids_in_dispute(known)
    plain = _without_disputes(edits, disputed)
    actions = [*_disputes(edits, known), *_changes(plain, known), *_deletions(plain, known)]
    actions += [
        KeepLine(memory_id=one.memory_id) for one, line in plain.kept if _was_moved_up(one, line)
    ]
    actions += [
        RememberLine(
            text=line.statement,
            group=line.group or "",
            heading=line.heading,
            quote=(line.mark or "").removeprefix("q:") if line.group == SAID else "",
        )
        for line in edits.added
    ]
    return actions


def _ids_in_dispute(known: StoredState) -> set[str]:
    return {one.id for pair in known.disputes for one in (pair.user_edit, pair.against)}


def _without_disputes(edits: Edits, ids: set[str]) -> Edits:
    """Return the edits to lines that are in no conflict."""
    return Edits(
        tuple(pair for pair in edits.kept if pair[0].memory_id not in ids),
        tuple(pair for pair in edits.changed if pair[0].memory_id not in ids),
        tuple(one for one in edits.gone if one.memory_id not in ids),
        edits.added,
    )


def _changes(edits: Edits, known: StoredState) -> Iterator[Action]:
    for one, line in edits.changed:
        now = known.standing.get(one.memory_id)
        if now is None or line.digest == _digest_now(now):
            continue
        if _is_as_written(one, now):
            yield CorrectMemory(memory_id=one.memory_id, text=line.statement)
        else:
            yield ShowConflict(memory_id=one.memory_id, user_edit=line.statement)


def _deletions(edits: Edits, known: StoredState) -> Iterator[Action]:
    fresh = [one for one in edits.gone if not one.mark.startswith("d:")]
    in_bulk = len(fresh) > _FEW and len(fresh) * 2 > len(known.base)
    for one in edits.gone:
        now = known.standing.get(one.memory_id)
        if now is None or now.validity is not Validity.ACTIVE:
            continue
        asked_before = one.mark.startswith("d:")
        doubtful = not _is_as_written(one, now) or (in_bulk and not asked_before)
        yield (AskFirst if doubtful else ArchiveMemory)(memory_id=one.memory_id)


def _disputes(edits: Edits, known: StoredState) -> Iterator[Action]:
    """Yield the user's choices, where both wordings of a conflict were shown."""
    shown = {one.memory_id for one in known.base}
    gone = {one.memory_id for one in edits.gone}
    texts = {one.memory_id: line.statement for one, line in edits.changed}
    lines = {one.memory_id: one for one in known.base}
    for pair in known.disputes:
        mine, other = pair.user_edit.id, pair.against.id
        if not {mine, other} <= shown or lines[other].version_n != pair.against.version_n:
            continue
        text = texts.get(mine, texts.get(other))
        if text is not None:
            yield SettleDispute(memory_id=other, pending_id=mine, text=text)
        elif {mine, other} <= gone:
            yield WithdrawEdit(pending_id=mine)
            yield from (ArchiveMemory(memory_id=other),) if pair.against_is_active else ()
        elif mine in gone:
            yield WithdrawEdit(pending_id=mine)
        elif other in gone:
            yield SettleDispute(memory_id=other, pending_id=mine, text=pair.user_edit.content)


def _is_as_written(one: CoreLine, now: LineStatus) -> bool:
    """Check that nobody has changed the memory since its line was written."""
    return now.memory.version_n == one.version_n and now.validity is Validity.ACTIVE


def _was_moved_up(one: CoreLine, line: Line) -> bool:
    """Check whether a line that needed confirmation has been moved among the others."""
    return one.mark.startswith("d:") and line.group != CONFLICTS


def _digest_now(now: LineStatus) -> bytes:
    return digest(render_text(now.memory.content))
