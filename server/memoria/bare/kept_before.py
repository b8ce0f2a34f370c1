"""The briefing kept last, for a session that begins before what was recorded since is in one.

It may be told as long as its epoch goes on. That ends before anything is taken back: the store
deletes the file that names it at the begin of every change but those that only add. So a crash
between the two leaves nothing to be told, and a change that was forgotten here can't be told of.
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
    """Return the briefing kept last, though more was recorded since; None if in doubt.

    Nothing that it may have quoted was taken back since, no file of the user's was changed, and
    nothing in it has come to its end. It says when it was kept. Where none is kept for the project,
    it is that for none, cut to what holds in every one.
    """
    own = _read_for(home, tenant, workspace)
    if own is not None:
        return own
    text = _read_for(home, tenant, None)
    return None if text is None else cut_to_general(text)


def end_epoch(home: str, tenant: str) -> None:
    """End what was kept of before: nothing of it is told until it is kept anew.

    It is on disk when this returns.

    Raises:
        OSError: it can't be ended.
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
    """Return the present epoch; begin one where the last was ended.

    Nobody may change the database meanwhile.

    Raises:
        OSError: none can be begun.
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


def _read_for(home: str, tenant: str, workspace: str | None) -> str | None:
    try:
        kept, told = load_kept(home, tenant, workspace, BRIEFING)
        at, epoch = kept["at"], kept["epoch"]
        if not epoch or epoch != _read_epoch(home, tenant) or not isinstance(at, int):
            return None
        if not is_in_time(kept) or not is_same_but_added(home, kept["rests_on"]):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at / 1000))
    line = f"(As of {when}; a search finds what was said since.)"
    begin, _, rest = told.partition("\n")
    return f"{begin}\n{line}\n{rest}"


def _read_epoch(home: str, tenant: str) -> str:
    """Return the present epoch; nothing where there is none, or only half of it was written."""
    path = os.path.join(answer_folder(home, tenant), EPOCH)
    try:
        epoch = read_regular(path, _CHARS).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    return epoch if len(epoch) == _CHARS else ""
