"""State of a folder of notes: what was last written into it.

It lies in the folder, so whoever can write there can say anything in it: each entry is judged by
itself, and one that is damaged or leads elsewhere is set aside and named.
"""

from pathlib import PureWindowsPath
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field, JsonValue, ValidationError

from memoria.connectors.transcripts.files import NOTES_STATE
from memoria.model.base import Value

_SET_ASIDE = f"is left out, as its entry in {NOTES_STATE} {{}}; no file there was touched"


def is_place(place: str) -> bool:
    """Check whether a note may lie at a place: in the folder, on every system, and not hidden."""
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
    """Digest of that wording."""
    pinned: bool = False
    is_gone: bool = False
    """True if its reader has deleted it, and that was said."""


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
    """Places of the entries that can't be used, each with the reason; ids where there is none."""


class _StoredState(Value):
    """The state as it lies in the folder."""

    format: int = 1
    tenant: str
    notes: dict[str, JsonValue] = Field(default_factory=dict)
    pages: dict[str, JsonValue] = Field(default_factory=dict)


def parse_state(data: bytes) -> FolderState:
    """Parse the state of a folder, without the entries that can't be used.

    Raises:
        ValidationError: it is no such file.
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
    """Add the stored entries that can be used, and set the others aside."""
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
