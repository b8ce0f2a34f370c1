"""Edits of core files, carried out, each in the transaction that also notes it as carried out."""

from dataclasses import dataclass, replace
from typing import Literal

from memoria.errors import ForgottenError, InvalidInputError
from memoria.lifecycle.core.lines import mark_ends, render_text
from memoria.lifecycle.core.parse import digest
from memoria.lifecycle.core.readback import (
    Action,
    ArchiveMemory,
    AskFirst,
    CorrectMemory,
    KeepLine,
    MoveLine,
    RememberLine,
    SettleDispute,
    ShowConflict,
    WithdrawEdit,
)
from memoria.memories.user_edits import UserEdits
from memoria.model import Memory, Validity
from memoria.model.base import Value
from memoria.model.core import CoreFile, CoreLine
from memoria.policy.core import groups_in
from memoria.policy.own_lines import conclude_group
from memoria.retrieval.lookup.short_ids import complete_id
from memoria.store.rows.transaction import Transaction

Effect = Literal[
    "corrected", "archived", "remembered", "conflict", "asked", "kept", "settled", "dismissed",
    "moved", "changed", "refused",
]  # fmt: skip


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
    """`changed` where its memory was changed since; the next reading looks at it anew."""
    memory_id: str | None = None
    reason: str | None = None
    """Reason why it was refused. Its line stays in the file as it was written."""


def apply_edit(tx: Transaction, hand: UserEdits, edit: Edit) -> EditResult:
    """Carry an edit out."""
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
        """Return a line's memory, if the line was written from its present wording."""
        memory = self.tx.memories.get(line.memory_id)
        same = memory is not None and memory.current.n == line.version_n
        return memory if same and memory and memory.validity is Validity.ACTIVE else None

    def _note_line(self, memory_id: str, text: str) -> None:
        """Note the memory of a line without a mark, unless it has a line here already."""
        lines = self.tx.core.lines(self.file)
        if all(line.memory_id != memory_id for line in lines):
            mark = f"m:{mark_ends([memory_id], lines)[memory_id]}"
            self.tx.core.set_line(
                self.file, self._line_saying(CoreLine(memory_id, mark, b"", 0), text)
            )

    def _line_saying(self, line: CoreLine, text: str) -> CoreLine:
        """Return the line with this text, linked to the present wording of its memory."""
        now = self.tx.core.statuses([line.memory_id])[line.memory_id]
        mark = f"m:{line.mark[2:]}"
        return replace(line, mark=mark, digest=digest(text), version_n=now.memory.version_n)

    def _set_mark(self, line: CoreLine, kind: str) -> None:
        self.tx.core.set_line(self.file, replace(line, mark=kind + line.mark[2:]))
