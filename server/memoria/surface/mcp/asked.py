"""Answers to hooks, which ask over a socket as they have no time to open the home.

The socket lies in a folder that only its owner may enter, and a hook must be of the same user. A
system without such sockets lacks these answers and nothing else.
"""

import logging
import os
import secrets
import socket
import struct
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.abc import SocketAttribute, SocketListener, SocketStream

import memoria.app
from memoria.app import Memoria
from memoria.app.told import Way
from memoria.bare.ask import (
    ENDING,
    MOST_REQUEST_BYTES,
    SOCKETS,
    forget_begun,
    is_own_folder,
    is_short_enough,
    list_folders,
    remove_dead_sockets,
)
from memoria.bare.home import make_tenant_folder
from memoria.bare.plain_json import read_json, write_json
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.model.core import ToldText
from memoria.surface.mcp.instructions import briefing_writer, keep_answers, keep_once_closed

_OWNER_FOLDER, _OWNER_FILE = 0o700, 0o600
_PATIENCE_S = 2.0
"""Longest time for a connected hook to send its question and read the answer."""
_HEARD_S = 0.05
"""Pause in which hooks that wait for a server find its socket: they look every 20 ms."""
_THEIR_TIME_S = 4.0
_CREDENTIALS = struct.Struct("3i")
_LOG = logging.getLogger(__name__)
Request = Mapping[str, object]


async def answer_briefing(memory: Memoria, request: Request) -> str:
    """Compose the briefing for a session in a project, after taking in the spool."""
    await memory.catch_up()
    write = briefing_writer(memory.settings)
    told = await memory.compose(write, _text(request, "workspace"))
    return await _note_shown(memory, request, "briefing", told)


async def answer_recall(memory: Memoria, request: Request) -> str:
    """Return memories that surely bear on a prompt; for most prompts none do."""
    told = await memory.tell_unasked(
        _text(request, "prompt") or "", _text(request, "session"), _text(request, "workspace")
    )
    return await _note_shown(memory, request, "recall", told)


async def _note_shown(memory: Memoria, request: Request, way: Way, told: ToldText) -> str:
    """Note what a hook is told, if it names its session; return the text."""
    if session := _text(request, "session"):
        await memory.told.note_shown(way, told.record_ids, session)
    return told.text


QUESTIONS: Mapping[str, Callable[[Memoria, Request], Awaitable[str]]] = {
    "briefing": answer_briefing,
    "recall": answer_recall,
}


class OpenQuestions:
    """Count of questions being answered, which go before a server's other work."""

    def __init__(self) -> None:
        self._count = 0

    @contextmanager
    def count(self) -> Iterator[None]:
        """Count a question during the block."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1

    async def wait_for_answers(self) -> None:
        """Wait until the questions of waiting hooks are answered, for a few seconds at most."""
        with anyio.move_on_after(_THEIR_TIME_S):
            await anyio.sleep(_HEARD_S)
            while self._count:
                await anyio.sleep(_HEARD_S)


async def answer_hooks(memory: Memoria, questions: OpenQuestions) -> None:
    """Answer hooks at a socket of the home, until cancelled."""
    opened = await _open_socket(memory)
    if opened is None:
        return
    listener, path = opened
    try:
        async with listener:
            await listener.serve(lambda stream: _answer(memory, stream, questions))
    finally:
        path.unlink(missing_ok=True)
        forget_begun(str(memory.settings.home_path), memory.tenant)
        with suppress(OSError):
            path.parent.rmdir()  # unless another server is there


async def _open_socket(memory: Memoria) -> tuple[SocketListener, Path] | None:
    """Open a socket in the first folder that can have one; None if no folder can."""
    home = str(memory.settings.home_path)
    await anyio.to_thread.run_sync(remove_dead_sockets, home, memory.tenant)
    for folder in list_folders(home, memory.tenant):
        path = Path(folder) / f"{os.getpid()}-{secrets.token_hex(4)}{ENDING}"
        if not is_short_enough(folder):
            continue
        try:
            _make_folder(home, memory.tenant, folder)
            return await anyio.create_unix_listener(path, mode=_OWNER_FILE), path
        except OSError as error:  # such as a file system without sockets
            _LOG.debug("No socket in %s: %s", folder, error)
    return None


def _make_folder(home: str, tenant: str, folder: str) -> None:
    if folder.startswith(os.path.join(home, "")):  # noqa: PTH118  (as the asking side compares it)
        make_tenant_folder(home, tenant, SOCKETS)
        return
    with suppress(FileExistsError):
        Path(folder).mkdir(mode=_OWNER_FOLDER)
    if not is_own_folder(home, folder):
        raise PermissionError(f"{folder} is not this user's alone")


async def _answer(memory: Memoria, stream: SocketStream, questions: OpenQuestions) -> None:
    async with stream:
        if not _is_same_user(stream):
            return
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            line = None
            with anyio.move_on_after(_PATIENCE_S):
                line = await _read_line(stream)
            if line is None:
                return
            with questions.count():
                answer = write_json(await _find_answer(memory, line))
            with anyio.move_on_after(_PATIENCE_S):
                await stream.send(answer.encode("ascii") + b"\n")


def _is_same_user(stream: SocketStream) -> bool:
    """Check whether this user runs the other side; outside Linux the folder's rights ensure it."""
    if sys.platform != "linux":
        return True
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  (this is no Django)
    found = raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(found)[1] == os.getuid())


async def _read_line(stream: SocketStream) -> bytes | None:
    received = b""
    while b"\n" not in received:
        if len(received) > MOST_REQUEST_BYTES:
            return None
        try:
            received += await stream.receive()
        except anyio.EndOfStream:
            return None
    return received


async def _find_answer(memory: Memoria, line: bytes) -> dict[str, object]:
    try:
        request = read_json(line.decode())
        if not isinstance(request, dict) or request.get("ask") not in QUESTIONS:
            return {"error": f"ask for one of {', '.join(QUESTIONS)}"}
        if request.get("tenant", memory.tenant) != memory.tenant:
            return {"error": "this server is another tenant's"}
        return {"text": await QUESTIONS[request["ask"]](memory, request)}
    except (ValueError, MemoriaError) as error:
        return {"error": str(error)}
    except Exception:  # noqa: BLE001  (it is logged; a hook must not end a server)
        _LOG.exception("What a hook asked raised an unexpected exception")
        return {"error": "an unexpected exception; the server's log has it"}


def _text(request: Request, name: str) -> str | None:
    """Return a text of a request; None if it is absent or no text.

    Raises:
        ValueError: it is something else.
    """
    value = request.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value


@asynccontextmanager
async def open_on_standby(
    settings: Settings, questions: OpenQuestions | None = None
) -> AsyncIterator[Memoria]:
    """Open a home; answer hooks and keep answers for the next server during the block.

    Args:
        settings: whose home and tenant.
        questions: counter of the questions of hooks.

    Raises:
        StoreError: the home can't be opened.
    """
    async with (
        memoria.app.open_memoria(settings=settings) as memory,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(keep_answers, memory)
        tasks.start_soon(answer_hooks, memory, questions or OpenQuestions())
        yield memory
        tasks.cancel_scope.cancel()
    await anyio.to_thread.run_sync(keep_once_closed, settings)
