"""Notes of hooks for `doctor`: when each client's last came, and what went wrong.

No word of a prompt or a tool's output is ever written here: of an error its kind, of the operating
system's also its reason.
"""

import os
import time

from memoria.bare.home import (
    check_folder,
    make_tenant_folder,
    open_to_append,
    read_regular,
    tenant_folder,
    write_all,
)
from memoria.bare.plain_json import read_json, write_json

FOLDER = "hooks"
"""The folder with a file for each client that was heard of, and the log of failures."""
_LOG, _OLD_LOG = "failures.jsonl", "failures.old.jsonl"
_HEARD = "heard-"
_MOST_BYTES = 32 << 10
_MOST_CHARS = 300


def note_heard(home: str, tenant: str, client: str) -> None:
    """Note that a hook of a client has run now.

    Raises:
        OSError: it can't be written.
    """
    path = os.path.join(_folder(home, tenant), _HEARD + _plain(client))
    try:
        os.utime(path)
    except FileNotFoundError:
        make_tenant_folder(home, tenant, FOLDER)
        os.close(open_to_append(path))


def read_heard(home: str, tenant: str) -> dict[str, int]:
    """Map each client to the time of its last hook, UTC epoch ms."""
    folder, heard = _folder(home, tenant), dict[str, int]()
    if not check_folder(home, folder):
        return heard
    for name in sorted(os.listdir(folder)):
        if name.startswith(_HEARD):
            at = os.lstat(os.path.join(folder, name)).st_mtime
            heard[name.removeprefix(_HEARD)] = int(at * 1000)
    return heard


def note_failure(home: str, tenant: str, client: str, reason: str) -> None:
    """Note that a hook could not do its work. At most 64 KiB of notes are kept.

    Raises:
        OSError: it can't be written.
    """
    folder = make_tenant_folder(home, tenant, FOLDER)
    path = os.path.join(folder, _LOG)
    note = {"at": int(time.time() * 1000), "client": _plain(client), "reason": reason[:_MOST_CHARS]}
    descriptor = open_to_append(path)
    try:
        if os.fstat(descriptor).st_size > _MOST_BYTES:
            os.replace(path, os.path.join(folder, _OLD_LOG))
        write_all(descriptor, f"{write_json(note)}\n".encode("ascii"))
    finally:
        os.close(descriptor)


def read_failures(home: str, tenant: str) -> list[dict[str, object]]:
    """List what went wrong, oldest first: `at` (UTC epoch ms), `client`, `reason`."""
    folder, notes = _folder(home, tenant), list[dict[str, object]]()
    if not check_folder(home, folder):
        return notes
    for name in (_OLD_LOG, _LOG):
        try:
            content = read_regular(os.path.join(folder, name), 2 * _MOST_BYTES)
        except FileNotFoundError:
            continue
        for line in content.decode("ascii", "replace").splitlines():
            try:
                note = read_json(line)
            except ValueError:  # a line that a killed hook or a full disk has cut short
                continue
            if isinstance(note, dict):
                notes.append(note)
    return notes


def describe_error(error: BaseException) -> str:
    """Describe an error without anything that a prompt may have put into it."""
    if isinstance(error, OSError) and error.errno is not None:
        return f"{type(error).__name__}: {os.strerror(error.errno)}"
    return type(error).__name__


def _folder(home: str, tenant: str) -> str:
    return os.path.join(tenant_folder(home, tenant), FOLDER)


def _plain(client: str) -> str:
    return "".join(char for char in client if char.isalnum() or char in "-_")[:40] or "unknown"
