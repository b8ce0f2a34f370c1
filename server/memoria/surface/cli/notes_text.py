"""Reports on a folder of notes, in words and as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.language.reading.fences import join_lines
from memoria.model.base import Value
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.connectors.notes.sync import NotesReport

_MOST_NAMED = 20


class WireRefusedNote(Value):
    """A note whose edit was not taken."""

    note: str
    problem: str


class WireNoteFolder(Value):
    """Outcome for notes and memories."""

    folder: str
    written: int
    unchanged: int
    deleted: int
    edited: list[str]
    conflicts: list[str]
    gone: list[str]
    refused: list[WireRefusedNote]
    strange: list[str]


def wire_notes(folder: Path, report: "NotesReport") -> WireNoteFolder:
    """Return the report as JSON has it."""
    return WireNoteFolder(
        folder=str(folder),
        written=report.written,
        unchanged=report.unchanged,
        deleted=report.deleted,
        edited=report.edited,
        conflicts=report.conflicts,
        gone=[memory_id for memory_id, _ in report.gone],
        refused=[WireRefusedNote(note=note, problem=why) for note, why in report.refused],
        strange=report.strange,
    )


def render_notes(folder: Path, report: "NotesReport") -> str:
    """Render the report in words."""
    notes = quantity(report.written, "note", "notes")
    lines = [f"{folder}: {notes} written, {report.unchanged} as they were."]
    if report.deleted:
        lines.append(f"Deleted with what was forgotten, archived or replaced: {report.deleted}")
    lines += _list_places("Your edits are in the memory now:", report.edited)
    if report.edited:
        lines.append("Take the last one back: memoria undo; another one: memoria undo --list")
    lines += _list_places(
        "Edited here while the memory was changed; the note shows both, and the memory stands "
        "until you edit the note again:",
        report.conflicts,
    )
    lines += _list_places("Not taken:", [f"{note}: {problem}" for note, problem in report.refused])
    lines += _list_places("Not from Memoria, and left alone:", report.strange)
    if report.gone:
        memories = [
            f"{join_lines(words)} · {memory_id[-report.id_chars :]}"
            for memory_id, words in report.gone
        ]
        lines += [
            *_list_places("You deleted the notes of these memories, which stay:", memories),
            "To forget them: memoria forget ID; to archive them: --deleted archive; to have their "
            "notes again: --deleted restore.",
        ]
    return "\n".join(lines)


def _list_places(head: str, places: list[str]) -> list[str]:
    if not places:
        return []
    more = len(places) - _MOST_NAMED
    shown = [f"  {place}" for place in places[:_MOST_NAMED]]
    return [head, *shown, *([f"  … and {more} more"] if more > 0 else [])]
