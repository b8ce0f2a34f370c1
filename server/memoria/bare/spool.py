"""The spool of hooks, whose entries wait for a server or a command, and the log of hooks.

Each entry is a file of its own in the tenant's `spool` folder, written beside its place and then
renamed into it. So hooks never wait for one another or for whoever takes in, no entry can be half
there, and an entry goes when it alone is on disk elsewhere. Its name begins with the time, so that
names in order are entries in order.

One process at a time takes in: it has the lock on a file of the spool, which the operating system
frees when the process ends, however. What it had not removed by then is simply still there.

An entry that can't be taken in is set aside, so that it keeps no other waiting: it goes into the
folder `aside` of the spool, as a line of a file of records, which a forget searches as any other.
"""

import os
import sys
import time

from memoria.bare.home import (
    NotRegularError,
    check_folder,
    make_tenant_folder,
    open_new,
    open_to_append,
    read_regular,
    tenant_folder,
    write_all,
)
from memoria.bare.plain_json import read_json, write_json
from memoria.bare.sealing import EncryptionKeyError, find_key, seal, unseal

HOOKS = "hooks"
"""The folder with a file for each client that was heard of, and the log of failures."""
_LOG, _OLD_LOG = "failures.jsonl", "failures.old.jsonl"
_HEARD = "heard-"
_MOST_LOG_BYTES = 32 << 10
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
        make_tenant_folder(home, tenant, HOOKS)
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
    folder = make_tenant_folder(home, tenant, HOOKS)
    path = os.path.join(folder, _LOG)
    note = {"at": int(time.time() * 1000), "client": _plain(client), "reason": reason[:_MOST_CHARS]}
    descriptor = open_to_append(path)
    try:
        if os.fstat(descriptor).st_size > _MOST_LOG_BYTES:
            os.replace(path, os.path.join(folder, _OLD_LOG))
        write_all(descriptor, f"{write_json(note)}\n".encode("ascii"))
    finally:
        os.close(descriptor)


def read_failures(home: str, tenant: str) -> list[dict[str, object]]:
    """List the failures of hooks, oldest first: `at` (UTC epoch ms), `client`, `reason`."""
    folder, notes = _folder(home, tenant), list[dict[str, object]]()
    if not check_folder(home, folder):
        return notes
    for name in (_OLD_LOG, _LOG):
        try:
            content = read_regular(os.path.join(folder, name), 2 * _MOST_LOG_BYTES)
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
    return os.path.join(tenant_folder(home, tenant), HOOKS)


def _plain(client: str) -> str:
    return "".join(char for char in client if char.isalnum() or char in "-_")[:40] or "unknown"


SPOOL = "spool"
"""The folder with a file for each entry that waits."""
MOST_ENTRY_BYTES = 32 << 20
_MOST_SEALED_BYTES = MOST_ENTRY_BYTES + 1024
ASIDE = "aside"
"""The folder in the spool with the entries that are set aside."""
_LOCK = ".lock"
_ENDING, _ASIDE_ENDING = ".json", ".jsonl"
_DRAFT_LIFE_S = 600
"""Seconds after which whoever was writing an entry must have been killed."""


def append_entry(home: str, tenant: str, entry: dict[str, object]) -> None:
    """Write an entry into the spool.

    An entry with words of its own (`turns`) is synced to disk. A pointer to a transcript is not:
    if the machine loses power at this very moment, the transcript still says all of it, and the
    next entry of the session points there as well. Words are sealed in an encrypted home.

    Raises:
        OSError: it can't be written, or is too large, or can't be sealed.
    """
    content = write_json(entry).encode("ascii")
    if "turns" in entry:
        content = seal(home, content)
    if len(content) > MOST_ENTRY_BYTES:
        raise OSError(f"an entry of {len(content):,} bytes is too large for the spool")
    folder = make_tenant_folder(home, tenant, SPOOL)
    own = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
    draft = os.path.join(folder, f".{own}.{os.urandom(8).hex()}")
    try:
        descriptor = open_new(draft)
        try:
            write_all(descriptor, content)
            if "turns" in entry:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(draft, os.path.join(folder, own + _ENDING))
    except OSError:
        _remove(draft)
        raise


def spool_folder(home: str, tenant: str) -> str:
    """Return the folder of a tenant's entries."""
    return os.path.join(tenant_folder(home, tenant), SPOOL)


def list_waiting(home: str, tenant: str) -> list[str]:
    """List the names of the entries that wait, in the order in which they came.

    Raises:
        OSError: the spool can't be read.
    """
    folder = spool_folder(home, tenant)
    if not check_folder(home, folder):
        return []
    return sorted(name for name in os.listdir(folder) if _is_entry(name))


class AsideEntry:
    """An entry that was set aside."""

    def __init__(self, path: str, entry: dict[str, object], at: float) -> None:
        """Take the client and the transcript from an entry.

        Args:
            path: the file.
            entry: what it says; nothing where it can't be read.
            at: when it was set aside, in seconds since the epoch.
        """
        self.path = path
        self.client = entry.get("client")
        self.transcript = entry.get("transcript")
        self.at = at


def list_aside(home: str, tenant: str) -> list[AsideEntry]:
    """List the entries that are set aside, in the order in which they came.

    Raises:
        OSError: the folder can't be read.
    """
    folder = _aside_folder(home, tenant)
    if not check_folder(home, folder):
        return []
    names = sorted(name for name in os.listdir(folder) if name.endswith(_ASIDE_ENDING))
    paths = [os.path.join(folder, name) for name in names]
    return [AsideEntry(path, _read(path) or {}, os.lstat(path).st_ctime) for path in paths]


class SpoolClaim:
    """Claims the waiting entries for one process, until its block ends."""

    def __init__(self, home: str, tenant: str, lock: int) -> None:
        """Take over a lock that the caller holds."""
        self._home = home
        self._tenant = tenant
        self._folder = spool_folder(home, tenant)
        self._locks = [lock]

    def __enter__(self) -> "SpoolClaim":
        """Return the claim itself."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Free the spool for others."""
        self.free()

    def free(self) -> None:
        """Free the spool for others. A second call, by whichever thread, does nothing."""
        try:
            lock = self._locks.pop()
        except IndexError:
            return
        os.close(lock)

    def names(self) -> list[str]:
        """List the names of the entries that wait now, in the order in which they came."""
        return list_waiting(self._home, self._tenant)

    def read(self, name: str) -> dict[str, object] | None:
        """Return an entry; None if its file is damaged, such as after a loss of power."""
        return _read(os.path.join(self._folder, name))

    def remove(self, name: str) -> None:
        """Remove an entry: what it says is on disk elsewhere, or it says nothing."""
        _remove(os.path.join(self._folder, name))

    def set_aside(self, name: str) -> None:
        """Move an entry into the folder of those set aside, where it waits no longer.

        Raises:
            OSError: it can't be moved.
        """
        folder = make_tenant_folder(self._home, self._tenant, os.path.join(SPOOL, ASIDE))
        kept = name.removesuffix(_ENDING) + _ASIDE_ENDING
        try:
            os.rename(os.path.join(self._folder, name), os.path.join(folder, kept))
        except FileNotFoundError:
            return  # it was taken in after all

    def remove_aside(self, entry: AsideEntry) -> None:
        """Remove an entry that was set aside, as a later entry tells the same."""
        _remove(entry.path)

    def remove_drafts(self) -> None:
        """Remove what killed hooks have left half written."""
        latest = time.time() - _DRAFT_LIFE_S
        for name in os.listdir(self._folder):
            path = os.path.join(self._folder, name)
            if name.startswith(".") and name != _LOCK and os.lstat(path).st_mtime < latest:
                _remove(path)


def claim_entries(home: str, tenant: str) -> SpoolClaim | None:
    """Claim the waiting entries; None if there is no spool, or another process has the claim.

    Raises:
        OSError: the spool can't be read or locked.
    """
    folder = spool_folder(home, tenant)
    if not check_folder(home, folder):
        return None
    descriptor = open_to_append(os.path.join(folder, _LOCK))
    if not _try_lock(descriptor):
        os.close(descriptor)
        return None
    return SpoolClaim(home, tenant, descriptor)


def _aside_folder(home: str, tenant: str) -> str:
    return os.path.join(spool_folder(home, tenant), ASIDE)


def _read(path: str) -> dict[str, object] | None:
    try:
        entry = read_json(unseal(read_regular(path, _MOST_SEALED_BYTES)).decode("utf-8"))
    except (ValueError, NotRegularError, FileNotFoundError):
        return None
    except EncryptionKeyError:
        if find_key() is None:
            raise  # it is sound, and waits for its key
        return None
    return entry if isinstance(entry, dict) else None


def _is_entry(name: str) -> bool:
    return name.endswith(_ENDING) and not name.startswith(".")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


# Not the locks of `bare/file_locks`: those are a process's, and two threads may want to take in.
if sys.platform == "win32":

    def _try_lock(descriptor: int) -> bool:
        import msvcrt

        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:

    def _try_lock(descriptor: int) -> bool:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
