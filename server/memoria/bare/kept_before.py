"""The last kept briefing, told to a session that begins before a newer briefing is kept.

A briefing may be told while its epoch lasts. An epoch is named by a file, which the store deletes
before every change that does more than add. So what was taken back is never told, also after a
crash.
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
    write_all,
)
from memoria.bare.kept import (
    BRIEFING,
    EPOCH,
    KEPT,
    answer_folder,
    cut_to_general,
    is_in_time,
    is_same_but_added,
    load_kept,
)

_CHARS = 32


def read_of_before(home: str, tenant: str, workspace: str | None) -> str | None:
    """Return the last kept briefing, though more was recorded later; None if in doubt.

    Nothing that a briefing quotes was taken back, no file of the user's was changed, and its time
    is not over. Its first line says when it was kept. A project without a kept briefing gets the
    part of the one for no project that holds in every project.
    """
    own = _read_for(home, tenant, workspace)
    if own is not None:
        return own
    text = _read_for(home, tenant, None)
    return None if text is None else cut_to_general(text)


def read_since(home: str, tenant: str, workspace: str | None, name: str) -> str | None:
    """Return a kept answer since which nothing was taken back, though more may be on record."""
    found = _load(home, tenant, workspace, name)
    return None if found is None else found[1]


def end_epoch(home: str, tenant: str) -> None:
    """End the present epoch: briefings kept in it are told no more. The end is on disk on return.

    Raises:
        OSError: the file of the epoch can't be deleted.
    """
    folder = answer_folder(home, tenant)
    try:
        if not check_folder(home, folder):
            return
        os.unlink(os.path.join(folder, EPOCH))
    except (FileNotFoundError, NotRegularError):
        return
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def begin_epoch(home: str, tenant: str) -> str:
    """Return the present epoch; begin a new epoch if the last has ended.

    The caller must keep the database unchanged meanwhile.

    Raises:
        OSError: the file of the epoch can't be written.
    """
    if epoch := _read_epoch(home, tenant):
        return epoch
    epoch = os.urandom(_CHARS // 2).hex()
    path = os.path.join(make_tenant_folder(home, tenant, KEPT), EPOCH)
    if os.path.lexists(path):
        os.unlink(path)  # half written
    descriptor = open_new(path)
    try:
        write_all(descriptor, epoch.encode())
    finally:
        os.close(descriptor)
    return epoch


def _load(home: str, tenant: str, workspace: str | None, name: str) -> tuple[int, str] | None:
    """Return when an answer was kept, and the answer; None if in doubt."""
    try:
        kept, told = load_kept(home, tenant, workspace, name)
        at, epoch = kept["at"], kept["epoch"]
        if not epoch or epoch != _read_epoch(home, tenant) or not isinstance(at, int):
            return None
        if not is_in_time(kept) or not is_same_but_added(home, kept["rests_on"]):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return at, told


def _read_for(home: str, tenant: str, workspace: str | None) -> str | None:
    found = _load(home, tenant, workspace, BRIEFING)
    if found is None:
        return None
    at, told = found
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at / 1000))
    line = f"(As of {when}; a search finds what was said since.)"
    begin, _, rest = told.partition("\n")
    return f"{begin}\n{line}\n{rest}"


def _read_epoch(home: str, tenant: str) -> str:
    """Return the id that a kept answer must bear; empty if the file of the id is missing or cut."""
    path = os.path.join(answer_folder(home, tenant), EPOCH)
    try:
        epoch = read_regular(path, _CHARS).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    return epoch if len(epoch) == _CHARS else ""
