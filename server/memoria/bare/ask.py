"""Questions to a running server of the same home and tenant, from a process that has no time.

A server listens on a socket of its own, in the folder of the tenant's sockets. A question and its
answer are a line of JSON each. Where the system has no such sockets, nobody is asked.
"""

import os
import stat
import sys
import time

from memoria.bare.home import check_folder, make_tenant_folder, open_new, tenant_folder
from memoria.bare.plain_json import read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

SOCKETS = "sockets"
"""The folder of a tenant's sockets, each the address of a server."""
ENDING = ".sock"
_BEGUN = ".begun"
"""Ending of a file that names a process which is about to listen on a socket, or just began to."""
MOST_REQUEST_BYTES = 1 << 18
MOST_ANSWER_BYTES = 1 << 20
_LONGEST_ADDRESS = 103
"""Longest address of a socket, in bytes: macOS takes 103, Linux 107."""
_PAUSE_S = 0.02
_SHORT_FOLDERS = ("/run/user/{user}", "/tmp")  # noqa: S108  (a folder in it is checked for its owner)


def ask_server(
    home: str, tenant: str, request: dict[str, object], wait_ms: int, *, is_starting: bool = False
) -> dict[str, object] | None:
    """Return the answer of a running server; None if there is no server, or no answer in time.

    Args:
        home: the data folder's path.
        tenant: whose memory.
        request: the question, such as `{"ask": "briefing", "workspace": "/home/ann/work"}`.
        wait_ms: how long all of it may take.
        is_starting: whether a server may be about to start, so that it is worth waiting for one.
    """
    deadline = time.monotonic() + wait_ms / 1000
    line = write_json({**request, "tenant": tenant}).encode("ascii") + b"\n"
    while len(line) <= MOST_REQUEST_BYTES:
        addresses = list_addresses(home, tenant)
        for place, address in enumerate(addresses):
            now = time.monotonic()  # a server that hangs leaves the others their share
            answer = _ask(address, line, now + (deadline - now) / (len(addresses) - place))
            if answer is not None:
                return answer
        left = deadline - time.monotonic()
        if not is_starting or left <= _PAUSE_S:
            return None
        time.sleep(_PAUSE_S)
    return None


def note_begun(home: str, tenant: str) -> None:
    """Write a file that says that this process will be a server, which is worth waiting for.

    Raises:
        OSError: it can't be written.
    """
    has_memory = os.path.isdir(home) or "MEMORIA_DATABASE_URL" in os.environ
    if sys.platform != "win32" and has_memory:  # else there is nothing to ask for
        folder = make_tenant_folder(home, tenant, SOCKETS)
        os.close(open_new(os.path.join(folder, f"{os.getpid()}{_BEGUN}")))


def forget_begun(home: str, tenant: str) -> None:
    """Remove the file that `note_begun` has written, when this process ends."""
    remove_file(os.path.join(tenant_folder(home, tenant), SOCKETS, f"{os.getpid()}{_BEGUN}"))


def list_begun(home: str, tenant: str) -> list[str]:
    """List the files of `note_begun` whose processes are alive."""
    folder = os.path.join(tenant_folder(home, tenant), SOCKETS)
    try:
        if sys.platform == "win32" or not check_folder(home, folder):
            return []
        names = [file for file in os.listdir(folder) if file.endswith(_BEGUN)]
    except OSError:
        return []
    return [path for name in names if not _remove_dead(path := os.path.join(folder, name))]


def remove_dead_sockets(home: str, tenant: str) -> None:
    """Remove what killed servers have left: their sockets, and the files of `note_begun`."""
    list_begun(home, tenant)
    for address in list_addresses(home, tenant):
        connection = _connect(address, time.monotonic() + _PAUSE_S)
        if connection is not None:
            connection.close()


def list_addresses(home: str, tenant: str) -> list[str]:
    """List the addresses of servers, those started last first."""
    found: list[tuple[int, str]] = []
    for folder in list_folders(home, tenant):
        try:
            if not is_own_folder(home, folder):
                continue
            for file in os.listdir(folder):
                path = os.path.join(folder, file)
                state = os.lstat(path)
                if file.endswith(ENDING) and stat.S_ISSOCK(state.st_mode) and _is_own(state):
                    found.append((state.st_mtime_ns, path))
        except OSError:
            continue  # it has gone, or is not ours to look into
    return [path for _, path in sorted(found, reverse=True)]


def list_folders(home: str, tenant: str) -> list[str]:
    """List folders that may hold sockets of a tenant's servers: in the home, then short ones.

    The other folders follow from the home's path and the user alone: what a client passes of its
    environment to a server is not what it passes to a hook.
    """
    own = os.path.join(tenant_folder(home, tenant), SOCKETS)
    if sys.platform == "win32":
        return []
    from binascii import crc32

    user = os.getuid()
    place = os.fsencode(os.path.realpath(own))
    name = f"memoria-{user}-{crc32(place):08x}{crc32(place[::-1]):08x}"
    return [own, *(os.path.join(each.format(user=user), name) for each in _SHORT_FOLDERS)]


def is_short_enough(folder: str) -> bool:
    """Check whether the path of a socket in a folder is short enough to be an address."""
    return len(os.fsencode(os.path.join(folder, f"{'0' * 16}{ENDING}"))) <= _LONGEST_ADDRESS


def is_own_folder(home: str, folder: str) -> bool:
    """Check whether a folder is this user's alone, and no link leads to it."""
    if folder.startswith(os.path.join(home, "")):
        return check_folder(home, folder)
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and _is_own(found) and not found.st_mode & 0o077


def _is_own(found: os.stat_result) -> bool:
    return sys.platform == "win32" or found.st_uid == os.getuid()


def _ask(address: str, line: bytes, deadline: float) -> dict[str, object] | None:
    """Ask one server, and return its answer."""
    connection = _connect(address, deadline)
    if connection is None:
        return None
    try:
        _set_time(connection, deadline)
        connection.sendall(line)
        return _receive(connection, deadline)
    except (OSError, ValueError):
        return None
    finally:
        connection.close()


def _connect(address: str, deadline: float) -> "socket | None":
    """Connect to a server; None if there is none. A socket that nobody listens on is removed."""
    if sys.platform == "win32":
        return None  # its Python has no such sockets
    import _socket  # the module above it imports what costs more than all of this

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        _set_time(connection, deadline)
        connection.connect(address)
    except OSError as error:
        connection.close()
        if isinstance(error, ConnectionRefusedError):
            _remove_dead(address)
        return None
    return connection


def _set_time(connection: "socket", deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)


def _receive(connection: "socket", deadline: float) -> dict[str, object] | None:
    received = b""
    while b"\n" not in received and len(received) <= MOST_ANSWER_BYTES:
        _set_time(connection, deadline)
        piece = connection.recv(1 << 16)
        if not piece:
            return None
        received += piece
    answer = read_json(received.decode())
    return answer if isinstance(answer, dict) else None


def _remove_dead(path: str) -> bool:
    """Remove the file of a process if the process has ended; return True if it has."""
    number = os.path.basename(path).partition("-")[0].removesuffix(_BEGUN)
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        remove_file(path)
        return True
    except OSError:
        return False
    return False


def remove_file(path: str) -> None:
    """Remove a file of the folder of sockets, if it is still there."""
    try:
        os.unlink(path)
    except OSError:
        return  # somebody else has removed it
