"""Folder of notes: where each note and page lies, and what was last written there.

Files are opened and written as those of a home are: regular ones of the folder itself, no link
followed, all or nothing, for their owner alone. What nobody but Memoria has written is written anew
or deleted; whatever else is in the folder stays as it is. The state lies in the folder, so whoever
can write there can say anything in it: each entry is judged by itself, and a damaged one is named.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, JsonValue, ValidationError

from memoria.connectors.notes.note import as_title, render_page
from memoria.connectors.transcripts.files import NOTES_STATE
from memoria.disk.folders import DRAFT, make_private
from memoria.disk.home_files import replace_file
from memoria.disk.regular_files import check_place, list_files, read_file, walk
from memoria.errors import ExportError, UnusableFileError
from memoria.model.base import Value
from memoria.store.rows.portable.records import PortableSelection
from memoria.store.rows.transaction import Transaction

_SET_ASIDE = f"is left out, as its entry in {NOTES_STATE} {{}}; no file there was touched"


def is_place(place: str) -> bool:
    """Check whether a place is in the folder on every system, and not hidden."""
    path = PureWindowsPath(place)  # it knows slashes, backslashes and drives
    is_hidden = any(part.startswith(".") for part in path.parts)
    return not path.anchor and not is_hidden and place.endswith(".md") and "\0" not in place


def _expect_place(place: str) -> str:
    if not is_place(place):
        raise ValueError("leads out of the folder")
    return place


Place = Annotated[str, AfterValidator(_expect_place)]


class WrittenNote(Value):
    """A note as it was last written."""

    place: Place
    digest: str
    """Digest of the file."""
    version: int
    """Version of the memory's wording that it had."""
    wording: str
    """Digest of the memory's wording."""
    pinned: bool = False
    is_gone: bool = False
    """True if the reader has deleted the note, and a report said so."""


class WrittenPage(Value):
    """A page as it was last written."""

    place: Place
    digest: str


class FolderState(Value):
    """Notes and pages last written into a folder, and the tenant."""

    format: int = 1
    tenant: str
    notes: dict[str, WrittenNote] = Field(default_factory=dict)
    """Notes by the memory's id."""
    pages: dict[str, WrittenPage] = Field(default_factory=dict)
    """Pages by the entity's id."""
    set_aside: list[tuple[str, str]] = Field(default_factory=list, exclude=True)
    """Places of entries that can't be used, or ids where no place is named, with the reasons."""


class _StoredState(Value):
    """State as the file in the folder has it."""

    format: int = 1
    tenant: str
    notes: dict[str, JsonValue] = Field(default_factory=dict)
    pages: dict[str, JsonValue] = Field(default_factory=dict)


def parse_state(data: bytes) -> FolderState:
    """Parse the state of a folder, without the entries that can't be used.

    Raises:
        ValidationError: the data is no state of a folder.
    """
    stored = _StoredState.model_validate_json(data)
    state = FolderState(format=stored.format, tenant=stored.tenant)
    taken = set[str]()
    _take_entries(stored.notes, WrittenNote, state.notes, state, taken)
    _take_entries(stored.pages, WrittenPage, state.pages, state, taken)
    return state


_Entry = TypeVar("_Entry", WrittenNote, WrittenPage)


def _take_entries(
    stored: dict[str, JsonValue],
    kind: type[_Entry],
    entries: dict[str, _Entry],
    state: FolderState,
    taken: set[str],
) -> None:
    """Add the stored entries that can be used, and set all others aside."""
    for own_id, value in stored.items():
        try:
            entry = kind.model_validate(value)
        except ValidationError as error:
            place = value.get("place") if isinstance(value, dict) else None
            why = "leads out of the folder" if _is_misplaced(error) else "is damaged"
            named = place if isinstance(place, str) and place else own_id
            state.set_aside.append((named, _SET_ASIDE.format(why)))
            continue
        if entry.place in taken:
            state.set_aside.append((entry.place, _SET_ASIDE.format("is there twice")))
            continue
        taken.add(entry.place)
        entries[own_id] = entry


def _is_misplaced(error: ValidationError) -> bool:
    return any(one["type"] == "value_error" for one in error.errors(include_url=False))


MEMORIES = "memories"
PAGES = "names"
_MOST_NOTE_BYTES = 1 << 20
_MOST_STATE_BYTES = 256 << 20
_ABANDONED_S = 3600


class NoteFolder:
    """A folder of notes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._taken: dict[str, str] = {}

    def is_empty(self) -> bool:
        """Check whether the folder is empty or missing."""
        return not self.root.exists() or not any(self.root.iterdir())

    def read_state(self, tenant: str) -> FolderState:
        """Return the state that was last written into the folder.

        Raises:
            ExportError: the state is another tenant's, a newer Memoria's, or damaged.
        """
        data = read_file(self.root, NOTES_STATE, _MOST_STATE_BYTES) if self.root.exists() else None
        if data is None:
            return FolderState(tenant=tenant)
        try:
            state = parse_state(data)
        except ValidationError as error:
            raise ExportError(
                f"{self.root / NOTES_STATE} can't be read. Move it away: notes are then written "
                "anew beside those that are there."
            ) from error
        if state.format > FolderState.model_fields["format"].default:
            raise ExportError.for_newer(self.root, "its notes are of a later format")
        if state.tenant != tenant:
            raise ExportError(
                f"{self.root} has the notes of the tenant {state.tenant}, not of {tenant}. Name "
                "another folder."
            )
        return state

    def write_state(self, state: FolderState) -> None:
        """Write the state into the folder."""
        self._replace(NOTES_STATE, state.model_dump_json().encode())

    def read(self, place: str) -> bytes | None:
        """Return the content of a note; None where no file is at the place.

        Raises:
            UnusableFileError: the file is a link, no regular file or too large.
        """
        return read_file(self.root, place, _MOST_NOTE_BYTES)

    def has(self, place: str) -> bool:
        """Check whether a file lies at a place, usable or not."""
        return os.path.lexists(self.root / place)

    def write(self, place: str, text: str, former: str | None = None) -> bool:
        """Give a note another content. Return False where somebody has just written into the note.

        The note had the digest `former` when it was read; None where no note was.
        """

        def is_as_read() -> bool:
            data = self._read_or_none(place)
            return former == (None if data is None else digest(data))

        return self._replace(place, text.encode(), is_as_read)

    def delete(self, place: str) -> None:
        """Delete a note of ours."""
        check_place(self.root, place)
        (self.root / place).unlink(missing_ok=True)

    def delete_left_drafts(self) -> None:
        """Delete drafts of ours that are an hour old, which killed processes have left."""
        before = time.time() - _ABANDONED_S
        for file, found in walk(self.root):
            draft = DRAFT.fullmatch(file.name)
            is_note = draft is not None and draft[1].endswith(
                (".md", PurePosixPath(NOTES_STATE).name)
            )
            if is_note and stat.S_ISREG(found.st_mode) and found.st_mtime < before:
                file.unlink(missing_ok=True)

    def find_moved(self, known: set[str]) -> Iterator[tuple[str, bytes]]:
        """Yield place and content of each note that was moved, or that somebody else has made."""
        if not self.root.exists():
            return
        for file in list_files(self.root):
            place = file.relative_to(self.root).as_posix()
            if is_place(place) and place not in known:
                data = self._read_or_none(place)
                if data is not None:
                    yield place, data

    def find_place(self, folder: str, title: str, own_id: str) -> str:
        """Return a free place for a note or a page, named after the title."""
        base = f"{folder}/{as_title(title)}"
        for place in (f"{base}.md", f"{base} ({own_id[-8:]}).md", f"{base} ({own_id}).md"):
            taken = self._taken.get(_name_of(place))
            if taken == own_id or (taken is None and not (self.root / place).exists()):
                self.take(place, own_id)
                return place
        raise ExportError(f"{self.root / base} and other names for it are taken. Move them away.")

    def take(self, place: str, own_id: str) -> None:
        """Reserve a file's name, for links name files without folders."""
        self._taken[_name_of(place)] = own_id

    def _read_or_none(self, place: str) -> bytes | None:
        try:
            return self.read(place)
        except UnusableFileError:
            return None

    def _replace(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        check_place(self.root, place)
        make_private((self.root / place).parent)
        return replace_file(self.root / place, content, is_current)


def title_of(place: str) -> str:
    """Return the title of the note or page at a place."""
    return PurePosixPath(place).name.removesuffix(".md")


def _name_of(place: str) -> str:
    """Return the name by which a link names a file in any folder."""
    return PurePosixPath(place).name.casefold()


def digest(content: bytes) -> str:
    """Return a digest that tells contents apart."""
    return hashlib.sha256(content).hexdigest()


class NotePages:
    """Pages of the persons, places and things that memories speak of."""

    def __init__(self, folder: NoteFolder, former: Mapping[str, WrittenPage]) -> None:
        self._folder = folder
        self._canonical: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._places = {entity: page.place for entity, page in former.items()}
        for entity, place in self._places.items():
            folder.take(place, entity)
        self._links: dict[str, list[tuple[str, str]]] = {}

    def read_kinds(self, tx: Transaction) -> None:
        """Read each entity's kind, and which other entity is the same."""
        for record in tx.portable.read("entity", PortableSelection()):
            own_id = str(record["id"])
            self._kinds[own_id] = str(record["kind"])
            if record["same_as"] is not None:
                self._canonical[own_id] = str(record["same_as"])

    def enter(self, record: dict[str, Any], place: str) -> list[str]:
        """Link a memory's note from the pages of its entities. Return the titles of the pages."""
        titles = dict[str, None]()
        for name in record["names"]:
            entity = self._canonical.get(name["entity"], name["entity"])
            if entity not in self._places:
                self._places[entity] = self._folder.find_place(PAGES, name["name"], entity)
            link = (title_of(place), record["versions"][-1]["content"])
            links = self._links.setdefault(entity, [])
            if link not in links[-1:]:
                links.append(link)
            titles[title_of(self._places[entity])] = None
        return list(titles)

    def render(self) -> Iterator[tuple[str, str, str]]:
        """Yield the entity, the place and the text of every page."""
        for entity, links in self._links.items():
            place, kind = self._places[entity], self._kinds.get(entity, "other")
            yield entity, place, render_page(title_of(place), kind, links)
