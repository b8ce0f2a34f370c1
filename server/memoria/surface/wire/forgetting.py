"""Forgetting as structured data: what would go, what went, and the proof of it."""

from typing import Literal

from pydantic import BaseModel

from memoria.model import to_iso
from memoria.model.forgetting import ForgetItem, ForgetPreview, ForgetReport, ForgetResult
from memoria.surface.forgetting_text import forget_notes, share_notes


class WireForgetItem(BaseModel):
    """Something that would be erased or suppressed."""

    kind: str
    id: str | None = None
    text: str | None = None
    suppressed: bool | None = None


class WireForgetReport(BaseModel):
    """The proof of a forget, in short."""

    id: str
    at: str
    state: str
    purge_at: str | None = None
    purged_at: str | None = None
    items: dict[str, int]
    removed: dict[str, int]
    remaining: dict[str, int]


class WireFullReport(WireForgetReport):
    """The proof of a forget, with who wanted it and the digests of what it was."""

    by: str
    selected_by: list[str]
    digests: list[str] | None = None


class WireForgetReports(BaseModel):
    """The proofs that are kept."""

    reports: list[WireFullReport]


Unforgotten = Literal["preview", "declined", "unanswered", "cancelled"]
"""Reason why nothing is forgotten: it was only shown, the user said no, the client said no and may
have had nobody to ask, or the question was closed without an answer."""


class WireForgetAnswer(BaseModel):
    """Preview of a forget and the token for it, or its outcome."""

    status: Literal["preview", "forgotten", "hidden", "declined", "unanswered", "cancelled"]
    items: list[WireForgetItem] | None = None
    near: list[WireForgetItem] | None = None
    counts: dict[str, int] | None = None
    token: str | None = None
    command: str | None = None
    memories: list[str] | None = None
    turns_erased: list[str] | None = None
    turns_suppressed: list[str] | None = None
    notes: list[str] | None = None
    report: WireForgetReport | None = None


def wire_preview(
    preview: ForgetPreview,
    *,
    note: str | None = None,
    command: str | None = None,
    status: Unforgotten = "preview",
    most: int | None = None,
) -> WireForgetAnswer:
    """Describe what would be forgotten; with a command for the token where it is too much."""
    return WireForgetAnswer(
        status=status,
        items=[_wire_item(item) for item in preview.items[:most]],
        near=[_wire_item(item) for item in preview.near[:most]] or None,
        counts=preview.counts,
        token=None if command or status == "declined" or preview.is_empty else preview.token,
        command=command,
        notes=[*share_notes(preview), *([] if note is None else [note])] or None,
    )


def wire_forgotten(forgotten: ForgetResult) -> WireForgetAnswer:
    """Describe what was forgotten."""
    report = forgotten.report
    is_hidden = bool(forgotten.hidden) if report is None else report.state == "hidden"
    return WireForgetAnswer(
        status="hidden" if is_hidden else "forgotten",
        memories=list(forgotten.memories),
        turns_erased=list(forgotten.turns_erased) or None,
        turns_suppressed=list(forgotten.turns_suppressed) or None,
        notes=forget_notes(forgotten) or None,
        report=None if report is None else wire_report(report),
    )


def wire_report(report: ForgetReport) -> WireForgetReport:
    """Describe a proof in short: what left which index, and how much."""
    return WireForgetReport(
        id=report.id,
        at=to_iso(report.at),
        state=report.state,
        purge_at=None if report.purge_at is None else to_iso(report.purge_at),
        purged_at=None if report.purged_at is None else to_iso(report.purged_at),
        items=report.items,
        removed=report.removed,
        remaining=report.remaining,
    )


def wire_full_report(report: ForgetReport) -> WireFullReport:
    """Describe a proof whole."""
    return WireFullReport(
        **wire_report(report).model_dump(),
        by=report.by,
        selected_by=list(report.selected_by),
        digests=list(report.digests) or None,
    )


def _wire_item(item: ForgetItem) -> WireForgetItem:
    return WireForgetItem(
        kind=item.kind,
        id=item.id or None,
        text=item.text or None,
        suppressed=True if item.effect == "suppressed" else None,
    )
