"""Notes of what an agent was shown in a session: which records, when, and how they came to it.

A note has the ends of ids and no words. It is a line of JSON in a file of the tenant's, so that a
search writes nothing into the database and a hook needs none. When the file is full it becomes the
former one, whose notes go. What is forgotten is taken out of both.
"""

import os
import time
from binascii import crc32

from memoria.bare.home import (
    make_folder,
    name_owner,
    open_new,
    open_to_append,
    read_regular,
    tenant_folder,
    write_all,
)
from memoria.bare.kept import BRIEFING, load_kept
from memoria.bare.plain_json import read_json, write_json
from memoria.bare.spool import describe_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

SHOWN, FORMER = "shown.notes", "shown-former.notes"
"""Files of a tenant's notes: those that are added to, and those before them."""
MOST_BYTES = 1 << 20
"""Size at which a file of notes becomes the former one."""
_ID_CHARS = 12
"""Number of last characters of an id in a note, which no two records of a tenant share."""
_MOST_IDS = 100
_SEED = 0x9E3779B9


def note_shown(home: str, tenant: str, session: str, way: str, ids: "Iterable[str]") -> None:
    """Note records that an agent was shown; nothing is written where there are none.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        session: id of the session. A number made of it is kept.
        way: how they came to the agent, such as `search`.
        ids: of the memories and turns, the first shown first.

    Raises:
        OSError: it can't be written.
    """
    ends = [name_end(one) for one in ids][:_MOST_IDS]
    if not ends:
        return
    at = time.time_ns() // 1_000_000
    note = {"at": at, "in": number_of(session), "way": way, "ids": ends}
    append_note(home, tenant, (SHOWN, FORMER), write_json(note))


def append_note(home: str, tenant: str, names: "tuple[str, str]", note: str) -> None:
    """Add a note to a tenant's file of notes; a full one becomes the former one.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        names: of the file that is added to, and of the former one.
        note: a line of ASCII.

    Raises:
        OSError: it can't be written.
    """
    folder = make_folder(home, tenant_folder(home, tenant))
    name_owner(folder, tenant)
    path = os.path.join(folder, names[0])
    descriptor = open_to_append(path)
    try:
        os.write(descriptor, note.encode("ascii") + b"\n")  # whole, as others add too
        is_full = os.fstat(descriptor).st_size > MOST_BYTES
    finally:
        os.close(descriptor)
    if is_full:
        os.replace(path, os.path.join(folder, names[1]))


def name_end(record_id: str) -> str:
    """Return the end of an id that a note has."""
    return record_id[-_ID_CHARS:]


def note_kept(
    home: str, tenant: str, session: str, workspace: str | None, tell: "Callable[[str], None]"
) -> None:
    """Note what a kept briefing showed in a session, as `note_shown` does; tell of a failure."""
    try:
        shows = load_kept(home, tenant, workspace, BRIEFING)[0].get("shows")
        ids = shows if isinstance(shows, list) else []  # another version kept none
        note_shown(home, tenant, session, BRIEFING, [one for one in ids if isinstance(one, str)])
    except (OSError, ValueError, KeyError) as error:
        tell(f"what was shown is not noted: {describe_error(error)}")


def read_shown(home: str, tenant: str, session: str) -> list[dict[str, object]]:
    """Return the notes of a session, oldest first: each with `at`, `way` and the ends of `ids`.

    Raises:
        OSError: they can't be read.
    """
    number = number_of(session)
    found = list_notes(home, tenant)
    return [note for note in found if isinstance(note.get("ids"), list) and note["in"] == number]


def list_notes(
    home: str, tenant: str, names: "tuple[str, str]" = (SHOWN, FORMER)
) -> list[dict[str, object]]:
    """Return the notes of all sessions that are whole, oldest first.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        names: of the file that is added to, and of the former one.

    Raises:
        OSError: they can't be read.
    """
    paths = _paths(home, tenant, names)
    found = (_parse(line) for path in paths for line in _read_lines(path))
    return [note for note in found if "in" in note]


def erase_shown(home: str, tenant: str, ids: "Collection[str]") -> None:
    """Take records out of all notes.

    Raises:
        OSError: a file can't be changed.
    """
    ends = {one[-_ID_CHARS:] for one in ids}
    for path in _paths(home, tenant, (SHOWN, FORMER)):
        lines = _read_lines(path)
        kept = [left for line in lines if (left := _without(line, ends))]
        if kept != lines:
            _write_anew(path, kept)


def delete_shown(home: str, tenant: str) -> None:
    """Delete all notes of what a tenant's agents were shown.

    Raises:
        OSError: a file can't be deleted.
    """
    delete_notes(home, tenant, (SHOWN, FORMER))


def delete_notes(home: str, tenant: str, names: "tuple[str, str]") -> None:
    """Delete a tenant's files of notes.

    Raises:
        OSError: a file can't be deleted.
    """
    for path in _paths(home, tenant, names):
        if os.path.lexists(path):
            os.unlink(path)


def number_of(session: str) -> str:
    """Return a number that tells a session from others and does not say its id."""
    text = session.encode("utf-8", "surrogatepass")
    return f"{crc32(text):08x}{crc32(text[::-1], _SEED):08x}"


def _paths(home: str, tenant: str, names: "tuple[str, str]") -> list[str]:
    """Return the paths of a tenant's files of notes, the former one first."""
    return [os.path.join(tenant_folder(home, tenant), name) for name in reversed(names)]


def _read_lines(path: str) -> list[bytes]:
    try:
        return read_regular(path, 2 * MOST_BYTES).splitlines(keepends=True)
    except FileNotFoundError:
        return []


def _parse(line: bytes) -> dict[str, object]:
    """Return a note; nothing of a line that is cut or damaged."""
    try:
        note = read_json(line.decode("ascii"))
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}


def _without(line: bytes, ends: "Collection[str]") -> bytes:
    note = _parse(line)
    ids = note.get("ids")
    if not isinstance(ids, list):
        return b""
    left = [one for one in ids if one not in ends]
    if len(left) == len(ids):
        return line
    return write_json({**note, "ids": left}).encode("ascii") + b"\n" if left else b""


def _write_anew(path: str, lines: list[bytes]) -> None:
    draft = f"{path}.{os.urandom(8).hex()}"
    try:
        descriptor = open_new(draft)
        try:
            write_all(descriptor, b"".join(lines))
        finally:
            os.close(descriptor)
        os.replace(draft, path)
    except OSError:
        if os.path.lexists(draft):
            os.unlink(draft)
        raise
