"""Hands over work that a hook has no time for to a process that nobody waits for.

A text that may hold a secret goes through a pipe, without touching the disk, to a process that
loads the table of secrets and writes the cleaned text into the spool (`admin/hook_texts.py`). So
does every text where the home is encrypted: what seals it is no part of the standard library. At
the end of a session another process takes in the spool (`surface/mcp/after_session.py`), or sends
it to a server elsewhere (`app/collect.py`).
"""

import os
import sys

from memoria.bare.plain_json import write_json

_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from {} import run; run(*sys.argv[2:])"
_CLEANER, _TAKER = "memoria.admin.hook_texts", "memoria.surface.mcp.after_session"
_COLLECTOR = "memoria.app.collect"
_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))


def hand_over(home: str, tenant: str, entry: dict[str, object]) -> None:
    """Start a process that cleans an entry and lays it into the spool.

    Raises:
        OSError: the process can't be started.
    """
    _start_detached(_CLEANER, [home, tenant], write_json(entry).encode("ascii"))


def take_in_later(home: str, tenant: str, workspace: str | None) -> None:
    """Start a process that takes in the spool, if no server does so in the next second.

    Raises:
        OSError: the process can't be started.
    """
    _start_detached(_TAKER, [home, tenant, workspace or "none"], b"")


def send_later(home: str, tenant: str) -> None:
    """Start a process that sends what waits in the spool to a server elsewhere.

    Raises:
        OSError: the process can't be started.
    """
    _start_detached(_COLLECTOR, [home, tenant], b"")


def _start_detached(module: str, arguments: list[str], content: bytes) -> None:
    command = [sys.executable, "-I", "-c", _PROGRAM.format(module), _ROOT, *arguments]
    if os.name == "nt":
        _start_on_windows(command, content)
    else:
        _start(command, content)


def _start(command: list[str], content: bytes) -> None:
    reads, writes = os.pipe()
    nothing = os.open(os.devnull, os.O_WRONLY)
    actions = [
        (os.POSIX_SPAWN_DUP2, reads, 0),
        (os.POSIX_SPAWN_DUP2, nothing, 1),
        (os.POSIX_SPAWN_DUP2, nothing, 2),
    ]
    try:
        try:
            os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsid=True)
        except (
            NotImplementedError
        ):  # a system without setsid: the process stays in the client's group
            os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    except OSError:
        os.close(writes)
        raise
    finally:
        os.close(reads)
        os.close(nothing)
    with os.fdopen(writes, "wb") as pipe:
        pipe.write(content)


def _start_on_windows(command: list[str], content: bytes) -> None:
    import subprocess

    detached = 0x00000008 | 0x00000200 | 0x08000000  # a console and a group of its own, no window
    with subprocess.Popen(  # noqa: S603  (our own program)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=detached,
    ) as process:
        process.communicate(content)
