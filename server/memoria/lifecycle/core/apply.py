"""Edits by hand are carried out: each in the transaction that also notes it as taken over."""

from dataclasses import dataclass, replace
from typing import Literal

from memoria.errors import ForgottenError, InvalidInputError
from memoria.ingest.by_hand import ByHand
from memoria.lifecycle.core.lines import ends, shown
from memoria.lifecycle.core.parse import digest
from memoria.lifecycle.core.readback import (
    Action,
    Archive,
    Ask,
    Conflict,
    Correct,
    Dismiss,
    Keep,
    Remember,
    Settle,
)
from memoria.model import Memory, Validity
from memoria.model.base import Value
from memoria.model.core import CoreFile, CoreLine
from memoria.policy.core import groups_of
from memoria.store.base import Transaction

Effect = Literal[
    "corrected", "archived", "remembered", "conflict", "asked", "kept", "settled", "dismissed",
    "changed", "refused",
]  # fmt: skip


class Edit(Value):
    """An edit that was read in a file."""

    file: CoreFile
    action: Action


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of an edit."""

    effect: Effect
    """`changed` where its memory was changed since; the next reading looks at it anew."""
    memory_id: str | None = None
    reason: str | None = None
    """Why it was refused. Its line stays in the file as it was written."""


def apply_edit(tx: Transaction, hand: ByHand, edit: Edit) -> Applied:
    """Carry an edit out."""
    try:
        return _Applying(tx, hand, edit.file).apply(edit.action)
    except (ForgottenError, InvalidInputError) as error:  # raised before anything was written
        return Applied("refused", reason=str(error))


@dataclass(frozen=True, slots=True)
class _Applying:
    tx: Transaction
    hand: ByHand
    file: CoreFile

    def apply(self, action: Action) -> Applied:
        match action:
            case Remember():
                return self._remember(action)
            case Dismiss():
                self.hand.archive(self.tx, action.pending_id)
                self.tx.core.drop(self.file, action.pending_id)
                return Applied("dismissed", action.pending_id)
            case Settle():
                return self._settle(action)
            case Conflict():
                return self._conflict(action)
            case Correct() | Archive() | Ask() | Keep():
                return self._noted(action)

    def _noted(self, action: Correct | Archive | Ask | Keep) -> Applied:
        line = self._line(action.memory_id)
        if line is None:
            return Applied("changed", action.memory_id)
        match action:
            case Ask():
                self._mark(line, "d:")
                return Applied("asked", line.memory_id)
            case Keep():
                self._mark(line, "m:")
                return Applied("kept", line.memory_id)
            case Correct() | Archive():
                memory = self._unchanged(line)
                if memory is None:
                    return Applied("changed", line.memory_id)
                if isinstance(action, Correct):
                    return self._correct(memory, line, action.text)
                return self._archive(line)

    def _correct(self, memory: Memory, line: CoreLine, text: str) -> Applied:
        known = self.hand.correct(self.tx, memory, text)
        if known is not None:
            self.tx.core.drop(self.file, memory.id)
            self._note(known, text)
            return Applied("archived", memory.id)
        self.tx.core.put(self.file, self._written(line, text))
        return Applied("corrected", memory.id)

    def _archive(self, line: CoreLine) -> Applied:
        self.hand.archive(self.tx, line.memory_id)
        self.tx.core.drop(self.file, line.memory_id)
        return Applied("archived", line.memory_id)

    def _remember(self, new: Remember) -> Applied:
        group = next(one for one in groups_of(self.file) if one.heading == new.group)
        memory_id = self.hand.add(self.tx, new.text, group.type, group.subject, group.predicate)
        self._note(memory_id, new.text)
        return Applied("remembered", memory_id)

    def _conflict(self, conflict: Conflict) -> Applied:
        memory, line = self.tx.memories.get(conflict.memory_id), self._line(conflict.memory_id)
        if memory is None or line is None:
            return Applied("changed", conflict.memory_id)
        held = self.hand.hold(self.tx, memory, conflict.by_hand)
        self.tx.core.put(self.file, self._written(line, conflict.by_hand))
        return Applied("conflict", held)

    def _settle(self, settle: Settle) -> Applied:
        memory = self.tx.memories.get(settle.memory_id)
        if memory is None:
            return Applied("changed", settle.memory_id)
        self.hand.correct(self.tx, memory, settle.text)
        self.hand.supersede(self.tx, settle.pending_id, memory.id)
        self.tx.core.drop(self.file, settle.pending_id)
        line = self._line(memory.id)
        if line is not None:
            self.tx.core.put(self.file, self._written(line, shown(settle.text)))
        return Applied("settled", memory.id)

    def _line(self, memory_id: str) -> CoreLine | None:
        lines = self.tx.core.lines(self.file)
        return next((line for line in lines if line.memory_id == memory_id), None)

    def _unchanged(self, line: CoreLine) -> Memory | None:
        """The memory of a line, if it says what it said when the line was written."""
        memory = self.tx.memories.get(line.memory_id)
        same = memory is not None and memory.current.n == line.version_n
        return memory if same and memory and memory.validity is Validity.ACTIVE else None

    def _note(self, memory_id: str, text: str) -> None:
        """Note that a line without a mark is a memory's, unless it has one of its own here."""
        lines = self.tx.core.lines(self.file)
        if all(line.memory_id != memory_id for line in lines):
            mark = f"m:{ends([memory_id], lines)[memory_id]}"
            self.tx.core.put(self.file, self._written(CoreLine(memory_id, mark, b"", 0), text))

    def _written(self, line: CoreLine, text: str) -> CoreLine:
        """A line that says this, by hand, of its memory as it is now."""
        now = self.tx.core.standing([line.memory_id])[line.memory_id]
        mark = f"m:{line.mark[2:]}"
        return replace(line, mark=mark, digest=digest(text), version_n=now.memory.version_n)

    def _mark(self, line: CoreLine, kind: str) -> None:
        self.tx.core.put(self.file, replace(line, mark=kind + line.mark[2:]))
