"""Places of a home and of a tenant's part, how folders and files are made, and locks on files.

A folder is for its owner alone, and no link below the home is followed: whatever could put a link
there could otherwise have a hook write wherever the link leads to. The home itself may be a link.
"""

import errno
import os
import stat
import sys

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int, first: int, length: int) -> bool:
        """Lock bytes from `first` on; return False if another process has locked any of them."""
        os.lseek(descriptor, first, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, length)
        except PermissionError:
            return False
        return True

    def unlock(descriptor: int, first: int, length: int) -> None:
        """Free the bytes that `try_lock` has locked."""
        os.lseek(descriptor, first, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, length)

    def read_at(descriptor: int, place: int, length: int) -> bytes:
        """Return up to `length` bytes at a place; fewer where the file ends before."""
        os.lseek(descriptor, place, os.SEEK_SET)
        return os.read(descriptor, length)

    def write_at(descriptor: int, place: int, content: bytes) -> None:
        """Write the content at a place."""
        os.lseek(descriptor, place, os.SEEK_SET)
        os.write(descriptor, content)

else:
    import fcntl

    def try_lock(descriptor: int, first: int, length: int) -> bool:
        """Lock bytes from `first` on; return False if another process has locked any of them."""
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, first)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def unlock(descriptor: int, first: int, length: int) -> None:
        """Free the bytes that `try_lock` has locked."""
        fcntl.lockf(descriptor, fcntl.LOCK_UN, length, first)

    def read_at(descriptor: int, place: int, length: int) -> bytes:
        """Return up to `length` bytes at a place; fewer where the file ends before."""
        return os.pread(descriptor, length, place)

    def write_at(descriptor: int, place: int, content: bytes) -> None:
        """Write the content at a place."""
        os.pwrite(descriptor, content, place)


DEFAULT_TENANT = "default"
TENANTS = "tenants"
"""The folder with a folder for each tenant but the default one."""
OWNER_FILE = "tenant"
"""The file of a tenant's folder that says whose it is."""
_SLUG_CHARS = 40
_SLUG_HEX = 8
_TENANT_CHARS = 24
_TENANT_HEX = 32
"""128 bits: whoever may choose a tenant's name can't find a second one for a folder."""
_JUNCTION = 0xA0000003
"""Reparse tag by which Windows marks a folder that stands for another one."""
_OWNER_FOLDER, _OWNER_FILE = 0o700, 0o600
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BYTES = getattr(os, "O_BINARY", 0)


class NotRegularError(OSError):
    """Something of the home is a link, a pipe or a device, and is left alone."""


def find_home(given: str | None = None, tenant: str | None = None) -> str:
    """Return the data folder of a process.

    It is the given one, else the tenant's below the folder that `MEMORIA_HOMES` names, else that
    of `MEMORIA_HOME`, else `~/.memoria`.

    Args:
        given: the folder that an option names.
        tenant: the tenant that an option names; by default as `find_tenant` says.
    """
    homes = os.environ.get("MEMORIA_HOMES")
    if homes and not given:
        return home_below(homes, find_tenant(tenant))
    named = given or os.environ.get("MEMORIA_HOME") or "~/.memoria"
    return os.path.join(os.getcwd(), os.path.expanduser(named))


def home_below(homes: str, tenant: str) -> str:
    """Return the data folder of a tenant's own, in a folder that has one for each tenant."""
    folder = os.path.join(os.getcwd(), os.path.expanduser(homes))
    return os.path.join(folder, _slug(tenant, tenant, _TENANT_CHARS, _TENANT_HEX))


def find_tenant(given: str | None = None) -> str:
    """Return the given tenant, else that of `MEMORIA_TENANT`, else the default tenant."""
    return (given or os.environ.get("MEMORIA_TENANT") or "").strip() or DEFAULT_TENANT


def tenant_folder(home: str, tenant: str) -> str:
    """Return the folder of a tenant's files: the home itself, or a folder of the tenant's own."""
    if tenant == DEFAULT_TENANT:
        return home
    return os.path.join(home, TENANTS, _slug(tenant, tenant, _TENANT_CHARS, _TENANT_HEX))


def make_tenant_folder(home: str, tenant: str, name: str) -> str:
    """Make a folder in a tenant's folder, if it is missing; return its path.

    Raises:
        NotRegularError: a part of the path below the home is a link, or no folder.
        OSError: it can't be made.
    """
    own = tenant_folder(home, tenant)
    path = make_folder(home, os.path.join(own, name))
    name_owner(own, tenant)
    return path


def name_owner(folder: str, tenant: str) -> None:
    """Write a tenant's name into the tenant's folder, if it is not there yet.

    Raises:
        OSError: it can't be written.
    """
    path = os.path.join(folder, OWNER_FILE)
    if tenant == DEFAULT_TENANT or os.path.lexists(path):
        return
    draft = os.path.join(folder, f".{OWNER_FILE}.{os.urandom(8).hex()}")
    descriptor = open_new(draft)
    try:
        write_all(descriptor, tenant.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)
    os.replace(draft, path)


def slug(name: str, identity: str | None = None) -> str:
    """Return a file name for any name, different from those of a tenant's other names.

    Args:
        name: to be known by, as far as file systems let it.
        identity: what tells it from others, where its name does not.
    """
    return _slug(name, identity or name, _SLUG_CHARS, _SLUG_HEX)


def _slug(name: str, identity: str, chars: int, digits: int) -> str:
    from hashlib import sha256  # a hook of the default tenant needs none

    plain = _keep_plain(name.casefold()).strip("-")[:chars]
    return f"{plain or 'x'}-{sha256(identity.encode()).hexdigest()[:digits]}"


def make_folder(home: str, place: str) -> str:
    """Make a folder below the home and its missing parents; return its path.

    Args:
        home: the data folder, which may be a link.
        place: the folder's path, in the home or below.

    Raises:
        NotRegularError: a part of the path below the home is a link, or no folder.
        OSError: it can't be made.
    """
    _make_with_parents(home)
    path = home
    for part in place[len(home) :].split(os.sep):
        if part:
            path = os.path.join(path, part)
            _make_owner_folder(path)
            _check_folder(path)
    return path


def check_folder(home: str, place: str) -> bool:
    """Check whether a folder exists below the home, and is reached without a link.

    Raises:
        NotRegularError: a part of the path below the home is a link, or no folder.
        OSError: it can't be looked at.
    """
    path = home
    for part in ("", *place[len(home) :].split(os.sep)):
        path = os.path.join(path, part) if part else path
        try:
            if part:
                _check_folder(path)
        except FileNotFoundError:
            return False
    return os.path.isdir(path)


def open_new(path: str) -> int:
    """Make a new file for its owner alone, and return its descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BYTES
    return os.open(path, flags, _OWNER_FILE)


def open_to_append(path: str) -> int:
    """Open a regular file to write at its end, for its owner alone; return its descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_LINK | _NO_WAIT | _BYTES
    return _open_regular(path, flags)


def read_regular(path: str, most: int) -> bytes:
    """Return the content of a regular file, cut to `most` bytes.

    Raises:
        NotRegularError: it is something else.
        OSError: it can't be read.
    """
    descriptor = _open_regular(path, os.O_RDONLY | _NO_LINK | _NO_WAIT | _BYTES)
    pieces, size = [], 0
    try:
        while size < most and (piece := os.read(descriptor, most - size)):
            pieces.append(piece)
            size += len(piece)
    finally:
        os.close(descriptor)
    return b"".join(pieces)


def write_all(descriptor: int, content: bytes) -> None:
    """Write the whole content, however much the system takes at once."""
    while content:
        content = content[os.write(descriptor, content) :]


def is_link(found: os.stat_result) -> bool:
    """Check whether a file status is that of a link, or of a folder that stands for another."""
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _JUNCTION


def _keep_plain(name: str) -> str:
    """Keep lower-case letters and digits, and put one hyphen for each run of anything else."""
    plain: list[str] = []
    for char in name:
        if char.isascii() and (char.islower() or char.isdigit()):
            plain.append(char)
        elif not plain or plain[-1] != "-":
            plain.append("-")
    return "".join(plain)


def _make_with_parents(folder: str) -> None:
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    if parent and parent != folder:
        _make_with_parents(parent)
    _make_owner_folder(folder)


def _make_owner_folder(folder: str) -> None:
    try:
        os.mkdir(folder, _OWNER_FOLDER)
    except FileExistsError:
        pass
    except OSError:
        if not os.path.isdir(folder):  # a file system that is read only says so first
            raise


def _check_folder(path: str) -> None:
    found = os.lstat(path)
    if is_link(found) or not stat.S_ISDIR(found.st_mode):
        raise NotRegularError(f"{path} is no folder, or a link to one")


def _open_regular(path: str, flags: int) -> int:
    try:
        descriptor = os.open(path, flags, _OWNER_FILE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotRegularError(f"{path} is a link") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularError(f"{path} is no regular file")
    return descriptor


def name_memory(tenant: str, home: str | None = None) -> tuple[str, ...]:
    """Return the options that name a memory in a command; none for the default one.

    >>> name_memory("ann", "/mnt/x"), name_memory("default")
    (('--home', '/mnt/x', '--tenant', 'ann'), ())
    """
    place = () if home is None else ("--home", home)
    return place if tenant == DEFAULT_TENANT else (*place, "--tenant", tenant)
