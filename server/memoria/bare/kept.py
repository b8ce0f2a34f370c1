"""Answers kept ready for readers that can't wait for a server: instructions, and the briefing.

An answer is kept with all that it rests on: the state of the database's files, of the core files
and of the settings file, the environment, the clock, and the moment until which it holds.
It is only given while all of that is as it was. Any change to the database changes the state of one
of its files: whatever is in doubt is no answer, and a server composes a new one soon.

The files are looked at and never opened. A process that closes a database file gives up its locks
on it, and the process that asks here may be the very one that has the database open.
"""

import os
import sys
import time

from memoria.bare.home import (
    NotRegularError,
    check_folder,
    make_tenant_folder,
    open_new,
    read_regular,
    tenant_folder,
    write_all,
)
from memoria.bare.plain_json import read_json, write_json
from memoria.bare.settings_file import SETTINGS_FILE

KEPT = "kept"
"""The folder of a tenant's kept answers: they quote memories, so forgetting deletes them."""
INSTRUCTIONS, BRIEFING = "instructions", "briefing"
SETTINGS = (
    "MEMORIA_AGENTS_READ",
    "MEMORIA_CORE_FILE_TOKENS",
    "MEMORIA_DATABASE_URL",
    "MEMORIA_GROUNDS",
    "MEMORIA_INSTRUCTIONS_CORE",
    "MEMORIA_PRIVATE_WORKSPACES",
    "MEMORIA_TIME_ZONE",
)
"""The settings that have a say in what is kept, beside home, tenant and workspace."""
OF_NO_PROJECT = "# Last conversations"
"""Heading of the last part of a briefing for no project."""
MOST_BYTES = 1 << 18
DATABASE_FILES = ("memoria.db", "memoria.db-wal")

EPOCH = "epoch"
"""File that names the present epoch, which ends before anything is taken back."""
_FORMAT = 2
_ENDING = ".kept"
_INDEX, _INDEX_BYTES = "memoria.db-shm", 96
_TEXTS = "surface/mcp/texts"
_OWN_TEXTS = ("__init__.py", f"{_TEXTS}/instructions.md", f"{_TEXTS}/session_start.md")
"""Files of this package that change with each version, or that answers quote."""
_SETTLED_NS = 40_000_000
"""Age at which a date is settled: clocks that date files tick every few milliseconds."""
_COARSE_NS, _COARSE_SETTLED_NS = 1_000_000, 4_000_000_000
"""Step and settled age of coarse dates: some file systems date by 10 ms or by two seconds."""

States = dict[str, str]
"""States of files, by their places below the home."""


def read_kept(home: str, tenant: str, workspace: str | None, name: str) -> str | None:
    """Return a kept answer that says what a server would say now; None wherever that is in doubt.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        workspace: the project that is asked from; None or `none` for no project.
        name: `instructions` or `briefing`.
    """
    try:
        kept, text = load_kept(home, tenant, workspace, name)
        return text if is_current(home, kept) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def load_kept(
    home: str, tenant: str, workspace: str | None, name: str
) -> tuple[dict[str, object], str]:
    """Return a kept answer with all it rests on, whether it is current or not.

    Raises:
        OSError: there is none, or it can't be read.
        ValueError: it is damaged, or was composed under other circumstances.
        KeyError: something is missing in it.
    """
    content = read_regular(answer_path(home, tenant, workspace, name), MOST_BYTES)
    head, end, text = content.partition(b"\n")
    kept = _parse(head)
    if kept is None or not end or len(text) != kept["size"]:
        raise ValueError(name)
    if kept["circumstances"] != describe_circumstances(home, tenant, workspace, name):
        raise ValueError(name)
    return kept, text.decode()


def read_general(home: str, tenant: str, name: str) -> str | None:
    """Return the part of a kept answer that holds in all projects; None if in doubt.

    The part has the user's own rules and preferences, for a project of which nothing is kept yet.
    """
    text = read_kept(home, tenant, None, name)
    return None if text is None else cut_to_general(text)


def cut_to_general(text: str) -> str:
    """Cut an answer made outside any project down to the part that holds in all projects."""
    shown, heading, rest = text.partition(f"\n\n{OF_NO_PROJECT}\n")
    fence_end = rest.rpartition("\n")[2]
    return f"{shown}\n{fence_end}" if heading else text


def is_outdated(home: str, tenant: str) -> bool:
    """Check whether a tenant has kept answers, and some are out of date.

    Raises:
        OSError: the kept answers can't be listed.
    """
    if not os.path.isdir(answer_folder(home, tenant)):
        return False
    holding, stale, _ = count_kept(home, tenant)
    return bool(stale) or not holding or read_general(home, tenant, BRIEFING) is None


def is_current(home: str, kept: dict[str, object]) -> bool:
    """Check whether all that a kept answer rests on is as it was."""
    states = kept["rests_on"]
    if not isinstance(states, dict) or not is_in_time(kept):
        return False
    return bool(states) and look_at(home, states) == states


def is_in_time(kept: dict[str, object]) -> bool:
    """Check whether a kept answer is within its time."""
    begin, end = kept["at"], kept["good_until"]
    now = time.time_ns() // 1_000_000
    return isinstance(begin, int) and begin <= now and not (isinstance(end, int) and now >= end)


def write_kept(
    home: str,
    tenant: str,
    workspace: str | None,
    name: str,
    text: str,
    rests_on: States,
    at: int,
    good_until: int | None,
    epoch: str,
    shows: list[str] | None = None,
) -> None:
    """Store an answer in the home. The caller must keep the database unchanged meanwhile.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        workspace: the project that it is an answer for.
        name: which answer.
        text: what it says.
        rests_on: what the files were like before it was composed, and still are.
        at: the moment it was composed for, UTC epoch milliseconds.
        good_until: from when on it would say something else if nothing is written; None for never.
        epoch: the present epoch, which ends when something is taken back.
        shows: ids of the memories and turns in it.

    Raises:
        OSError: it can't be written.
    """
    said = text.encode()  # as it is: whoever looks for a word on the disk finds it
    kept = {
        "circumstances": describe_circumstances(home, tenant, workspace, name),
        "workspace": _read_workspace(workspace),
        "name": name,
        "at": at,
        "good_until": good_until,
        "rests_on": rests_on,
        "epoch": epoch,
        "shows": shows or [],
        "size": len(said),
    }
    folder = make_tenant_folder(home, tenant, KEPT)
    path = answer_path(home, tenant, workspace, name)
    draft = os.path.join(folder, f".{os.path.basename(path)}.{os.urandom(8).hex()}")
    try:
        descriptor = open_new(draft)
        try:
            write_all(descriptor, write_json(kept).encode("ascii") + b"\n" + said)
        finally:
            os.close(descriptor)
        os.replace(draft, path)
    except BaseException:
        _remove(draft)
        raise


def list_kept(home: str, tenant: str) -> list[tuple[str, dict[str, object] | None]]:
    """List the files of kept answers, newest first, each with its content; None if unusable.

    Half written files are left out.

    Raises:
        OSError: the kept answers can't be listed.
    """
    paths = [path for path in _list_files(home, tenant) if path.endswith(_ENDING)]
    return [(path, _read(path)) for path in sorted(paths, key=_date_of, reverse=True)]


def delete_stale(home: str, tenant: str) -> None:
    """Delete kept answers that are out of date.

    Raises:
        OSError: one can't be deleted.
    """
    for path, kept in list_kept(home, tenant):
        if not _holds(home, kept):
            _remove(path)


def count_kept(home: str, tenant: str) -> tuple[int, int, int]:
    """Return the numbers of kept answers that are current, out of date, and half written.

    Raises:
        OSError: the kept answers can't be listed.
    """
    holding = [_holds(home, kept) for _, kept in list_kept(home, tenant)]
    half = sum(os.path.basename(path) != EPOCH for path in _list_files(home, tenant))
    half -= len(holding)
    return sum(holding), len(holding) - sum(holding), half


def delete_kept(home: str, tenant: str) -> list[str]:
    """Delete all that is kept for a tenant, half written files included. Return their paths.

    Raises:
        OSError: one can't be deleted.
    """
    paths = _list_files(home, tenant)
    for path in paths:
        _remove(path)
    return paths


def answer_folder(home: str, tenant: str) -> str:
    """Return the folder of a tenant's kept answers."""
    return os.path.join(tenant_folder(home, tenant), KEPT)


def answer_path(home: str, tenant: str, workspace: str | None, name: str) -> str:
    """Return a kept answer's path. Workspaces may share a path: the content says whose it is."""
    from binascii import crc32

    number = crc32((_read_workspace(workspace) or "").encode("utf-8", "surrogateescape"))
    return os.path.join(answer_folder(home, tenant), f"{name}-{number:08x}{_ENDING}")


def describe_circumstances(
    home: str, tenant: str, workspace: str | None, name: str
) -> list[object]:
    """List what shapes an answer beside the home's files: who asks, settings, zone, this code.

    The folder in which the project is now is among it, as answers name the folder.
    """
    from memoria.bare.projects import find_place

    project = _read_workspace(workspace)
    try:
        zone_file = os.readlink("/etc/localtime")
    except OSError:
        zone_file = ""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return [
        _FORMAT,
        tenant,
        project,
        project and find_place(home, project),
        name,
        [os.environ.get(setting) or None for setting in (*SETTINGS, "TZ")],
        [zone_file, *time.tzname, time.timezone, time.altzone],
        list(look_at(package, _OWN_TEXTS).values()),
    ]


def look_at(home: str, places: object) -> States:
    """Return the states of files now; every change of a file changes its state.

    Args:
        home: the data folder's path.
        places: of the files, below it.
    """
    if not isinstance(places, dict | tuple | list):
        raise TypeError(f"places are {type(places).__name__}")
    return {place: _look_at_one(home, place) for place in places}


def is_same_but_added(home: str, states: object) -> bool:
    """Check whether nothing but the content of the database has changed, in the same file."""
    if not isinstance(states, dict):
        return False
    now, written = look_at(home, states), (*DATABASE_FILES, _INDEX)
    database = DATABASE_FILES[0]
    inode = str(states[database]).partition(" ")[0]
    is_same = all(now[place] == state for place, state in states.items() if place not in written)
    return is_same and inode != "" and now[database].partition(" ")[0] == inode


def places_of_home() -> tuple[str, ...]:
    """List the files that change with the database or its settings.

    Windows may date a file that is open later than it was written, so there the head of the shared
    index is read, which SQLite changes with every commit. It can be: there closing a file gives up
    nothing.
    """
    places = (*DATABASE_FILES, SETTINGS_FILE)
    return (*places, _INDEX) if sys.platform == "win32" else places


def is_settled(home: str, states: States) -> bool:
    """Check whether any further change of some files is going to show in their states.

    One that comes within the same tick of the clock by which files are dated would not. Where they
    have not settled, it is to be tried again a moment later.
    """
    now = time.time_ns()
    for place in (place for place, state in states.items() if state):
        try:
            found = os.lstat(os.path.join(home, place))
        except OSError:
            return False
        is_round = found.st_mtime_ns % _COARSE_NS == 0
        newest = max(found.st_mtime_ns, 0 if sys.platform == "win32" else found.st_ctime_ns)
        if now - newest < (_COARSE_SETTLED_NS if is_round else _SETTLED_NS):
            return False
    return True


def _look_at_one(home: str, place: str) -> str:
    path = os.path.join(home, place)
    try:
        if place == _INDEX:
            return read_regular(path, _INDEX_BYTES).hex()
        found = os.lstat(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{error.errno}"
    if place == DATABASE_FILES[1] and not found.st_size:
        return ""  # who opens a database makes an empty log, and who closes it deletes it
    dates = f"{found.st_mtime_ns} {found.st_ctime_ns}"
    return f"{found.st_ino} {found.st_mode} {found.st_size} {dates}"


def _read_workspace(workspace: str | None) -> str | None:
    return None if workspace in ("", "none") else workspace


def _read(path: str) -> dict[str, object] | None:
    try:
        return _parse(read_regular(path, MOST_BYTES).partition(b"\n")[0])
    except (OSError, ValueError):
        return None


def _parse(head: bytes) -> dict[str, object] | None:
    kept = read_json(head.decode())
    return kept if isinstance(kept, dict) else None


def _holds(home: str, kept: dict[str, object] | None) -> bool:
    try:
        return kept is not None and is_current(home, kept)
    except (KeyError, TypeError):
        return False


def _list_files(home: str, tenant: str) -> list[str]:
    """List the files of a tenant's kept answers; none if their folder is a link."""
    folder = answer_folder(home, tenant)
    try:
        if not check_folder(home, folder):
            return []
    except NotRegularError:
        return []
    with os.scandir(folder) as found:
        return sorted(one.path for one in found if not one.is_dir(follow_symlinks=False))


def _date_of(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
