"""Sync of a folder of notes with a memory, in both directions.

A note whose paragraph was edited is the user's correction of its memory, by the same way as any
other. Where the memory was changed meanwhile as well, it stands, and the note shows both. A note
that was deleted deletes nothing: that is said, and the memory stays.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from memoria.connectors.notes.folder import (
    MEMORIES,
    NoteFolder,
    NotePages,
    WrittenNote,
    WrittenPage,
    digest,
)
from memoria.connectors.notes.note import (
    DamagedNoteError,
    ReadNote,
    as_line,
    as_title,
    decode_note,
    read_content,
    read_note,
    render_note,
)
from memoria.errors import MemoriaError, UnusableFileError
from memoria.language.secrets.redact import redact
from memoria.memories.conditions import is_open
from memoria.model import Memory
from memoria.model.search import FULL_ID
from memoria.retrieval.lookup.records import count_id_chars
from memoria.store.engine import Store
from memoria.store.rows.portable.records import PortableSelection
from memoria.store.rows.transaction import Transaction

_Action = Literal["correct", "pin", "unpin", "archive"]
Deleted = Literal["keep", "restore", "archive"]
"""Fate of a memory whose note was deleted: it stays, gets a note again, or is archived."""
Progress = Callable[[int, int], None]


class Editor(Protocol):
    """Receiver of a user's edits."""

    async def revise_memory(  # noqa: D102
        self, memory_id: str, action: _Action, content: str | None = None
    ) -> Memory: ...


@dataclass(frozen=True, slots=True)
class NoteEdit:
    """Change that somebody has made in a note."""

    memory_id: str
    place: str
    action: _Action
    content: str | None = None


@dataclass(slots=True)
class NotesReport:
    """Outcome of a sync for notes and memories."""

    written: int = 0
    unchanged: int = 0
    deleted: int = 0
    """Number of deleted notes, whose memories are forgotten or archived."""
    edited: list[str] = field(default_factory=list)
    """Places of notes whose edits are in the memory now."""
    conflicts: list[str] = field(default_factory=list)
    """Places of notes that were edited while their memories were changed."""
    gone: list[tuple[str, str]] = field(default_factory=list)
    """Ids of memories whose notes were deleted, each with what the memory says."""
    id_chars: int = FULL_ID
    """Number of last characters that tell these ids apart from all others."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Places of notes whose edits could not be taken, each with the reason."""
    strange: list[str] = field(default_factory=list)
    """Places of notes that somebody else has made."""


@dataclass(slots=True)
class _Known:
    """Findings in the folder before a sync writes."""

    own: dict[str, str] = field(default_factory=dict)
    conflicts: dict[str, str] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    """Ids of memories whose notes must not be written, as somebody's words would be lost."""
    digests: dict[str, str] = field(default_factory=dict)


class NoteSync:
    """Sync that brings a folder and a memory in line with each other."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        folder: NoteFolder,
        selection: PortableSelection,
        private: frozenset[str],
        deleted: Deleted = "keep",
    ) -> None:
        """Bind to a folder, and read the folder's state."""
        self._store = store
        self._tenant = tenant
        self._folder = folder
        self._selection = selection
        self._private = private - {selection.workspace or ""}
        self._deleted = deleted
        self._state = folder.read_state(tenant)
        self._known = _Known()
        self.report = NotesReport(refused=[*self._state.set_aside])

    def find_edits(self) -> list[NoteEdit]:
        """List the changes that somebody has made in the folder since the last sync."""
        self._find_moved()
        with self._store.read(self._tenant) as tx:
            edits = [
                edit
                for memory_id, written in self._state.notes.items()
                for edit in self._compare(tx, memory_id, written)
            ]
            self.report.id_chars = count_id_chars(tx, [one for one, _ in self.report.gone])
            return edits

    async def take_edits(self, editor: Editor, edits: Sequence[NoteEdit]) -> None:
        """Revise memories as their notes were edited, as the user's own correction."""
        for edit in edits:
            try:
                await editor.revise_memory(edit.memory_id, edit.action, edit.content)
            except MemoriaError as error:
                self._refuse(edit.memory_id, edit.place, str(error))
            else:
                self.report.edited.append(edit.place)

    def write(self, progress: Progress) -> NotesReport:
        """Write every note that differs from its memory, and delete notes without a memory.

        `progress` is told how many memories are done, of how many.
        """
        for memory_id, written in self._state.notes.items():
            self._folder.take(written.place, memory_id)
        self._folder.delete_left_drafts()
        pages = NotePages(self._folder, self._state.pages)
        seen = set[str]()
        try:
            with self._store.read(self._tenant) as tx:
                pages.read_kinds(tx)
                total = tx.portable.count("memory", self._selection)
                for done, record in enumerate(self._list_records(tx), 1):
                    progress(done, total)
                    memory_id = str(record["id"])
                    seen.add(memory_id)
                    self._write_note(tx, memory_id, record, pages)
            self._delete_others(seen)
            self._write_pages(pages)
        finally:
            self._folder.write_state(self._state)
        return self.report

    def _find_moved(self) -> None:
        """Find the notes that were moved, and the notes of a run that was broken off."""
        notes = self._state.notes
        places = {one.place for one in notes.values()}
        places |= {one.place for one in self._state.pages.values()}
        for place, data in self._folder.find_moved(places):
            note = _read_or_none(data)
            memory_id = None if note is None else note.memory_id
            written = notes.get(memory_id) if memory_id is not None else None
            if note is None or memory_id is None:
                self.report.strange.append(place)
            elif written is None:
                unknown = WrittenNote(place=place, digest="", version=0, wording="")
                notes[memory_id] = unknown
            elif not self._folder.has(written.place):
                notes[memory_id] = written.model_copy(update={"place": place, "is_gone": False})
            elif _digest_words(note.wording) == written.wording:
                self.report.strange.append(place)
            else:
                why = f"is a second note beside {written.place}, which counts: write it there"
                self.report.refused.append((place, why))

    def _compare(self, tx: Transaction, memory_id: str, written: WrittenNote) -> Iterator[NoteEdit]:
        memory = tx.memories.get(memory_id)
        try:
            data = self._folder.read(written.place)
            if data is None:
                if memory is not None and memory.validity == "active":
                    yield from self._take_gone(memory, written)
                return
            note = read_note(decode_note(data))
        except (UnusableFileError, DamagedNoteError) as error:
            self._refuse(memory_id, written.place, str(error))
            return
        if note.memory_id not in (None, memory_id):
            self._refuse(memory_id, written.place, "is the note of another memory by its id")
            return
        if memory is None and tx.tombstones.get(memory_id) is None:
            why = "its memory is not in this home: import an export of the one it is from"
            self._refuse(memory_id, written.place, why)
            return
        self._known.own[memory_id] = note.own
        self._known.digests[memory_id] = digest(data)
        if note.conflict is not None:
            self._known.conflicts[memory_id] = note.conflict
        is_over = memory is None or memory.validity != "active"
        if digest(data) != written.digest or (is_over and note.own):
            yield from self._list_edits(memory_id, written, note, memory)

    def _refuse(self, memory_id: str, place: str, why: str) -> None:
        """Report a note that is not taken in, and keep somebody's words in the note."""
        self.report.refused.append((place, why))
        self._known.held.add(memory_id)

    def _list_edits(
        self, memory_id: str, written: WrittenNote, note: ReadNote, memory: Memory | None
    ) -> Iterator[NoteEdit]:
        if memory is None or memory.validity != "active":
            why = "was forgotten" if memory is None else f"is {memory.validity} by now"
            self._refuse(memory_id, written.place, f"its memory {why}; delete the note")
            return
        is_reworded = _digest_words(note.wording) != written.wording
        if is_reworded and _digest_words(note.wording) != _digest_words(memory.content):
            if not note.wording:
                self.report.refused.append((written.place, "has no words left; its memory stays"))
                return
            if redact(note.wording).redactions:  # what is left of it would be no memory of theirs
                why = "says a secret, which is never kept; its memory stays"
                self._refuse(memory_id, written.place, why)
                return
            if _version_of(memory) == written.version:
                self._known.conflicts.pop(memory_id, None)
                yield NoteEdit(memory_id, written.place, "correct", note.wording)
            else:
                self._known.conflicts[memory_id] = note.wording
                self.report.conflicts.append(written.place)
        if note.pinned is not None and note.pinned != written.pinned and written.digest:
            yield NoteEdit(memory_id, written.place, "pin" if note.pinned else "unpin")

    def _take_gone(self, memory: Memory, written: WrittenNote) -> Iterator[NoteEdit]:
        """Yield an edit that archives the memory of a deleted note, if the user asked for that."""
        if self._deleted == "archive":
            yield NoteEdit(memory.id, written.place, "archive")
            return
        is_gone = self._deleted == "keep"
        self._state.notes[memory.id] = written.model_copy(update={"is_gone": is_gone})
        if is_gone:
            self.report.gone.append((memory.id, memory.content))

    def _list_records(self, tx: Transaction) -> Iterator[dict[str, Any]]:
        for record in tx.portable.read("memory", self._selection):
            is_seen = record["workspace"] not in self._private
            if record["validity"] == "active" and is_seen and _is_open(tx, str(record["id"])):
                yield record

    def _write_note(
        self, tx: Transaction, memory_id: str, record: dict[str, Any], pages: NotePages
    ) -> None:
        before = self._state.notes.get(memory_id)
        if before is not None and before.is_gone:
            return
        wording = record["versions"][-1]
        kind = str(record["type"])
        place = (
            self._folder.find_place(f"{MEMORIES}/{kind}", as_title(wording["content"]), memory_id)
            if before is None
            else before.place
        )
        names = pages.enter(record, place)
        if memory_id in self._known.held:
            return
        content = read_content(
            tx,
            record,
            names,
            self._known.conflicts.get(memory_id),
            self._known.own.get(memory_id, ""),
        )
        text, former = render_note(content), self._known.digests.get(memory_id)
        if former == digest(text.encode()):
            self.report.unchanged += 1
        elif self._write_to(place, text, former):
            self.report.written += 1
        else:
            return  # somebody has edited it just now: the next sync sees that
        self._state.notes[memory_id] = WrittenNote(
            place=place,
            digest=digest(text.encode()),
            version=wording["version"],
            wording=_digest_words(wording["content"]),
            pinned=bool(record["pinned"]),
        )

    def _write_to(self, place: str, text: str, former: str | None) -> bool:
        try:
            return self._folder.write(place, text, former)
        except UnusableFileError as error:
            self.report.refused.append((place, str(error)))
            return False

    def _delete_others(self, seen: set[str]) -> None:
        """Delete the notes of memories that are forgotten, archived or no longer selected."""
        for memory_id in self._state.notes.keys() - seen - self._known.held:
            self._folder.delete(self._state.notes.pop(memory_id).place)
            self.report.deleted += 1

    def _write_pages(self, pages: NotePages) -> None:
        """Write the pages. A page that somebody has edited stays as it is."""
        former, now = self._state.pages, dict[str, WrittenPage]()
        for entity, place, text in pages.render():
            now[entity] = WrittenPage(place=place, digest=digest(text.encode()))
            with self._name_unusable(place):
                self._write_page(now[entity], text, former.get(entity))
        for entity in former.keys() - now.keys():
            with self._name_unusable(former[entity].place):
                data = self._folder.read(former[entity].place)
                if data is not None and digest(data) == former[entity].digest:
                    self._folder.delete(former[entity].place)
        former.clear()
        former.update(now)

    def _write_page(self, page: WrittenPage, text: str, former: WrittenPage | None) -> None:
        data = self._folder.read(page.place)
        found = None if data is None else digest(data)
        is_ours = former is not None and found == former.digest
        if found is None or (is_ours and found != page.digest):
            self._folder.write(page.place, text, found)
        elif not is_ours and found != page.digest:
            self.report.strange.append(page.place)

    @contextmanager
    def _name_unusable(self, place: str) -> Iterator[None]:
        """Report a file that can't be used, and go on with the others."""
        try:
            yield
        except UnusableFileError as error:
            self.report.refused.append((place, str(error)))


def _read_or_none(data: bytes) -> ReadNote | None:
    try:
        return read_note(decode_note(data))
    except DamagedNoteError:
        return None


def _is_open(tx: Transaction, memory_id: str) -> bool:
    """Check whether others who read the folder may be told what a memory says."""
    memory = tx.memories.get(memory_id)
    return memory is not None and is_open(tx, memory)


def _digest_words(wording: str) -> str:
    return digest(as_line(wording).encode())


def _version_of(memory: Memory) -> int:
    return max(version.version for version in memory.versions)
