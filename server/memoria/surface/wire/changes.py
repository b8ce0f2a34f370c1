"""Changes that people made to memories, as structured data."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from memoria.model import to_iso
from memoria.model.change import Change, ChangeList
from memoria.surface.wire.nightly import WireRun


class WireChange(BaseModel):
    """One thing that a person did."""

    id: str
    at: str
    action: str
    by: str
    memory_id: str | None = None
    text: str | None = None
    former_text: str | None = None
    other_memories: list[str] | None = None
    forgotten: dict[str, int] | None = None
    imported: dict[str, int] | None = None
    undoes: str | None = None
    undone: bool


class WireChanges(BaseModel):
    """Changes by people, newest first, and the runs of nightly maintenance that can be undone."""

    changes: list[WireChange]
    nights: list[WireRun] | None = None


class WireUndoPreview(BaseModel):
    """Preview of what would be taken back, and the command that does so."""

    status: Literal["preview"]
    change: WireChange
    notes: list[str]
    command: str


class WireUndo(BaseModel):
    """Change that was taken back, and the change that this is itself."""

    status: Literal["undone"] = "undone"
    change: WireChange
    undone_by: str | None = None


def wire_changes(listed: ChangeList, nights: Sequence[WireRun] = ()) -> WireChanges:
    """List changes by people, newest first, and the nights that can be undone."""
    return WireChanges(changes=list(map(wire_change, listed.changes)), nights=list(nights) or None)


def wire_change(change: Change) -> WireChange:
    """One thing that a person did."""
    items, is_import = dict(change.items or {}) or None, change.action == "import"
    return WireChange(
        id=change.id,
        at=to_iso(change.at),
        action=change.action,
        by=change.by,
        memory_id=change.memory_id,
        text=change.content,
        former_text=change.former,
        other_memories=list(change.others) or None,
        forgotten=None if is_import else items,
        imported=items if is_import else None,
        undoes=change.undoes,
        undone=change.is_undone,
    )
