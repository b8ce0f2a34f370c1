"""Edits of core files: found in a file's text, and carried out.

Nothing is decided twice and nothing is overwritten: where hand and conversation have both changed
something, both are shown until one of them is chosen. An edit is carried out in the transaction
that also notes it as carried out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from memoria.errors import ForgottenError, InvalidInputError
from memoria.lifecycle.core.document import Document, Edits, Line, compare_lines, digest
from memoria.lifecycle.core.lines import mark_ends, render_text
from memoria.memories.user_edits import UserEdits
from memoria.model import Memory, Validity
from memoria.model.base import Value
from memoria.model.core import CoreFile, CoreLine, EditConflict, LineStatus
from memoria.policy.core import CONFLICTS, SAID, conclude_group, groups_in
from memoria.retrieval.lookup.records import complete_id
from memoria.store.rows.transaction import Transaction

_FEW = 3
"""Most lines that may be deleted at once without a question, however few the file has."""
Effect = Literal[
    "corrected", "archived", "remembered", "conflict", "asked", "kept", "settled", "dismissed",
    "moved", "changed", "refused",
]  # fmt: skip


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
    """A new line below a group's heading, or a bullet below a heading of the user's own."""

    do: Literal["remember"] = "remember"
    text: str
    group: str
    """Heading of a group of memories; empty below a heading of the user's own."""
    heading: str = ""
    """Heading of the user's own; empty below a group's."""
    quote: str = ""
    """End of the id of the quote that the user has replaced by these words."""


class MoveLine(Value):
    """A line that stands in another file now: its memory is seen where that file is read."""

    do: Literal["move"] = "move"
    memory_id: str
    text: str
    origin: CoreFile
    """The file in which the line stood before."""


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
    """Status of each memory by id; erased memories are missing."""
    disputes: Sequence[EditConflict]


def find_edits(document: Document, known: StoredState) -> list[Action]:
    """Return the actions that the user's edits of a file ask for.

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
    """Check whether a line that asked for confirmation was moved back among the memories."""
    return one.mark.startswith("d:") and line.group != CONFLICTS


def _digest_now(now: LineStatus) -> bytes:
    return digest(render_text(now.memory.content))


class Edit(Value):
    """An edit that the user made in a core file."""

    file: CoreFile
    project: str | None = None
    """The project whose file it is; None for a file of the home."""
    action: Action


@dataclass(frozen=True, slots=True)
class EditResult:
    """Result of an edit."""

    effect: Effect
    """`changed`: the memory was changed meanwhile; the next reading looks at the edit anew."""
    memory_id: str | None = None
    reason: str | None = None
    """Reason why the edit was refused. Its line stays in the file as the user wrote it."""


def apply_edit(tx: Transaction, hand: UserEdits, edit: Edit) -> EditResult:
    """Carry out an edit; return its result."""
    try:
        return _EditApplication(tx, hand.in_project(edit.project), edit.file).apply(edit.action)
    except (ForgottenError, InvalidInputError) as error:  # raised before anything was written
        return EditResult("refused", reason=str(error))


@dataclass(frozen=True, slots=True)
class _EditApplication:
    tx: Transaction
    hand: UserEdits
    file: CoreFile

    def apply(self, action: Action) -> EditResult:
        match action:
            case RememberLine():
                return self._remember(action)
            case MoveLine():
                return self._move(action)
            case WithdrawEdit():
                self.hand.archive(self.tx, action.pending_id)
                self.tx.core.drop_line(self.file, action.pending_id)
                return EditResult("dismissed", action.pending_id)
            case SettleDispute():
                return self._settle(action)
            case ShowConflict():
                return self._conflict(action)
            case CorrectMemory() | ArchiveMemory() | AskFirst() | KeepLine():
                return self._apply_to_line(action)

    def _apply_to_line(
        self, action: CorrectMemory | ArchiveMemory | AskFirst | KeepLine
    ) -> EditResult:
        line = self._line(action.memory_id)
        if line is None:
            return EditResult("changed", action.memory_id)
        match action:
            case AskFirst():
                self._set_mark(line, "d:")
                return EditResult("asked", line.memory_id)
            case KeepLine():
                self._set_mark(line, "m:")
                return EditResult("kept", line.memory_id)
            case CorrectMemory() | ArchiveMemory():
                memory = self._memory_as_written(line)
                if memory is None:
                    return EditResult("changed", line.memory_id)
                if isinstance(action, CorrectMemory):
                    return self._correct(memory, line, action.text)
                return self._archive(line)

    def _correct(self, memory: Memory, line: CoreLine, text: str) -> EditResult:
        known = self.hand.correct(self.tx, memory, text)
        if known is not None:
            self.tx.core.drop_line(self.file, memory.id)
            self._note_line(known, text)
            return EditResult("archived", memory.id)
        self.tx.core.set_line(self.file, self._line_saying(line, text))
        return EditResult("corrected", memory.id)

    def _archive(self, line: CoreLine) -> EditResult:
        self.hand.archive(self.tx, line.memory_id)
        self.tx.core.drop_line(self.file, line.memory_id)
        return EditResult("archived", line.memory_id)

    def _remember(self, new: RememberLine) -> EditResult:
        known = (one for one in groups_in(self.file) if one.heading == new.group)
        group = next(known, None) or conclude_group(new.text, new.heading, self.file)
        memory_id = self.hand.add(self.tx, new.text, group.type, group.subject, group.predicate)
        self._note_line(memory_id, new.text)
        turn = self.tx.conversations.turn(complete_id(self.tx, new.quote)) if new.quote else None
        if turn is not None:  # a memory in other words has taken its place
            self.tx.conversations.mark(turn.n, "aside")
        return EditResult("remembered", memory_id)

    def _move(self, move: MoveLine) -> EditResult:
        self.hand.move_here(self.tx, move.memory_id)
        self.tx.core.drop_line(move.origin, move.memory_id)
        self._note_line(move.memory_id, move.text)
        return EditResult("moved", move.memory_id)

    def _conflict(self, conflict: ShowConflict) -> EditResult:
        memory, line = self.tx.memories.get(conflict.memory_id), self._line(conflict.memory_id)
        if memory is None or line is None:
            return EditResult("changed", conflict.memory_id)
        held = self.hand.add_pending(self.tx, memory, conflict.user_edit)
        self.tx.core.set_line(self.file, self._line_saying(line, conflict.user_edit))
        return EditResult("conflict", held)

    def _settle(self, settle: SettleDispute) -> EditResult:
        memory = self.tx.memories.get(settle.memory_id)
        if memory is None:
            return EditResult("changed", settle.memory_id)
        self.hand.correct(self.tx, memory, settle.text)
        self.hand.supersede(self.tx, settle.pending_id, memory.id)
        self.tx.core.drop_line(self.file, settle.pending_id)
        line = self._line(memory.id)
        if line is not None:
            self.tx.core.set_line(self.file, self._line_saying(line, render_text(settle.text)))
        return EditResult("settled", memory.id)

    def _line(self, memory_id: str) -> CoreLine | None:
        lines = self.tx.core.lines(self.file)
        return next((line for line in lines if line.memory_id == memory_id), None)

    def _memory_as_written(self, line: CoreLine) -> Memory | None:
        """Return a line's memory, if the line was written from the memory's present wording."""
        memory = self.tx.memories.get(line.memory_id)
        same = memory is not None and memory.current.n == line.version_n
        return memory if same and memory and memory.validity is Validity.ACTIVE else None

    def _note_line(self, memory_id: str, text: str) -> None:
        """Note the memory of a line without a mark, unless the file has a line of it already."""
        lines = self.tx.core.lines(self.file)
        if all(line.memory_id != memory_id for line in lines):
            mark = f"m:{mark_ends([memory_id], lines)[memory_id]}"
            self.tx.core.set_line(
                self.file, self._line_saying(CoreLine(memory_id, mark, b"", 0), text)
            )

    def _line_saying(self, line: CoreLine, text: str) -> CoreLine:
        """Return a line with another text, linked to the present wording of its memory."""
        now = self.tx.core.statuses([line.memory_id])[line.memory_id]
        mark = f"m:{line.mark[2:]}"
        return replace(line, mark=mark, digest=digest(text), version_n=now.memory.version_n)

    def _set_mark(self, line: CoreLine, kind: str) -> None:
        self.tx.core.set_line(self.file, replace(line, mark=kind + line.mark[2:]))
