"""Outcomes of changes, as structured data: statements, revisions, receipts, notes."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from memoria.model import Memory, Receipt, RememberResult, Scratchpad, to_iso
from memoria.model.handed_in import HandedIn
from memoria.surface.text import receipt_notes, remember_notes


class WireRevision(BaseModel):
    """A memory after a revision."""

    id: str
    text: str
    validity: str
    version: int
    pinned: bool
    verified: bool
    upvotes: int
    downvotes: int
    note: str | None = None


class WireKept(BaseModel):
    """One of several statements that were kept."""

    number: int
    id: str
    status: str
    notes: list[str] | None = None


class WireRefused(BaseModel):
    """One of several statements that was not kept."""

    number: int
    reason: str
    turn_id: str | None = None


class WireRememberResult(BaseModel):
    """Outcome of a statement, or of several."""

    id: str | None = None
    status: str | None = None
    expires_at: str | None = None
    task: str | None = None
    redactions: dict[str, int] | None = None
    notes: list[str] | None = None
    kept: list[WireKept] | None = None
    refused: list[WireRefused] | None = None
    unread: int | None = None
    next_page: str | None = None


class WireReceipt(BaseModel):
    """Proof that turns are on disk."""

    receipt_id: str
    recorded: int
    already_recorded: int | None = None
    new_versions: int | None = None
    forgotten: int | None = None
    private: int | None = None
    turn_ids: list[str]
    redactions: dict[str, int] | None = None
    stripped: int | None = None
    closed_segments: int | None = None
    notes: list[str] | None = None


class WireScratchpad(BaseModel):
    """A session's notes."""

    session_id: str
    current_focus: str | None = None
    completed: list[str]


class WireTask(BaseModel):
    """A task that is done or was left."""

    task: str
    at: str


class WireNotes(BaseModel):
    """A session's notes with the time of their last change."""

    session_id: str
    current_focus: str | None = None
    updated_at: str
    completed: list[WireTask]


class WireScratchpads(BaseModel):
    """The notes of some sessions."""

    scratchpads: list[WireNotes]


def wire_revision(memory: Memory, note: str | None = None) -> WireRevision:
    """Describe a memory after a revision."""
    return WireRevision(
        id=memory.id,
        text=memory.content,
        validity=memory.validity,
        version=memory.current.version,
        pinned=memory.pinned,
        verified=memory.verified,
        upvotes=memory.upvotes,
        downvotes=memory.downvotes,
        note=note,
    )


def wire_remember_result(kept: RememberResult, further: Sequence[str] = ()) -> WireRememberResult:
    """Describe what became of a statement, with further notes on it."""
    return WireRememberResult(
        id=kept.id,
        status=kept.status,
        expires_at=None if kept.local is None else kept.local.until,
        task=kept.task,
        redactions=kept.redactions or None,
        notes=[*remember_notes(kept), *further],
    )


def wire_handed_in(done: HandedIn) -> WireRememberResult:
    """Describe what became of several statements."""
    return WireRememberResult(
        kept=[
            WireKept(**one.model_dump(exclude={"notes"}), notes=[*one.notes] or None)
            for one in done.kept
        ],
        refused=[WireRefused(**dict(one)) for one in done.refused] or None,
        unread=None if done.left is None else done.left.turns,
        next_page=None if done.left is None else done.left.next_page,
    )


def wire_receipt(receipt: Receipt) -> WireReceipt:
    """Describe a receipt."""
    return WireReceipt(
        receipt_id=receipt.id,
        recorded=receipt.recorded,
        already_recorded=receipt.already_recorded or None,
        new_versions=receipt.new_versions or None,
        forgotten=receipt.forgotten or None,
        private=receipt.private or None,
        turn_ids=[turn.id for turn in receipt.turns if turn.id is not None],
        redactions=receipt.redactions or None,
        stripped=receipt.stripped or None,
        closed_segments=receipt.closed_segments or None,
        notes=receipt_notes(receipt) or None,
    )


def wire_scratchpad(pad: Scratchpad) -> WireScratchpad:
    """Describe a session's notes."""
    return WireScratchpad(
        session_id=pad.session_id,
        current_focus=pad.current_focus,
        completed=[f"{to_iso(task.at)} {task.task}" for task in pad.completed],
    )


def wire_scratchpads(pads: Iterable[Scratchpad]) -> WireScratchpads:
    """Describe the notes of some sessions, with every time."""
    return WireScratchpads(scratchpads=[_wire_notes(pad) for pad in pads])


def _wire_notes(pad: Scratchpad) -> WireNotes:
    return WireNotes(
        session_id=pad.session_id,
        current_focus=pad.current_focus,
        updated_at=to_iso(pad.updated_at),
        completed=[WireTask(task=done.task, at=to_iso(done.at)) for done in pad.completed],
    )
