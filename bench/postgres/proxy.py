"""A proxy on a socket before a server, which cuts a connection at a chosen moment.

It knows as much of PostgreSQL's protocol as it needs: where a message of the client begins, and
which one is a COMMIT.
"""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

_Value = TypeVar("_Value")
_SOCKET = ".s.PGSQL.5432"
_HEADER = 4
_READY = b"Z"
_COMMIT = b"COMMIT\0"
_SYNC = b"S"
_QUERY = b"Q"
_STATEMENTS = (_QUERY, b"P", b"B")
"""Messages with a statement, or with the parameters of one that was prepared."""
_BLOCK = 1 << 16


class Cut(StrEnum):
    """Moments at which a connection is cut."""

    STATEMENT = "half a statement was sent"
    ANSWER = "a statement was sent, its answer is lost"
    BEFORE_COMMIT = "COMMIT was to be sent, and was not"
    COMMIT_SENT = "COMMIT was sent, and the connection was closed at once"
    COMMIT_ANSWERED = "COMMIT was sent and done, its answer is lost"


class CuttingProxy:
    """Passes connections on to a server, and cuts one when a cut is armed. Runs in a thread."""

    def __init__(self, server: Path, folder: Path) -> None:
        """Listen in a folder.

        Args:
            server: the folder of the server's socket.
            folder: the folder in which clients find a socket of the same name.
        """
        self._server = str(server / _SOCKET)
        self._socket = folder / _SOCKET
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._armed: tuple[Cut, int] | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.cuts = 0
        """Number of connections that were cut."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._listening = self._wait_for(
            asyncio.start_unix_server(self._serve, path=str(self._socket))
        )
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._wait_for(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def arm(self, cut: Cut, after: int = 0) -> None:
        """Cut the next connection that comes to this moment.

        Args:
            cut: the moment.
            after: number of such moments that pass first.
        """
        self._armed = cut, after

    def disarm(self) -> None:
        """Cut nothing more."""
        self._armed = None

    async def _end(self) -> None:
        self._listening.close()
        for writer in self._open:
            writer.transport.abort()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
        await asyncio.sleep(0)  # transports close their sockets

    def _wait_for(self, work: Coroutine[Any, Any, _Value]) -> _Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _is_due(self, *moments: Cut) -> Cut | None:
        """Return the armed cut if it is one of these moments and its time has come."""
        if self._armed is None or self._armed[0] not in moments:
            return None
        cut, after = self._armed
        if after:
            self._armed = cut, after - 1
            return None
        self._armed = None
        self.cuts += 1
        return cut

    async def _serve(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        try:
            replies, server = await asyncio.open_unix_connection(self._server)
        except OSError:
            answers.transport.abort()
            return
        self._open |= {answers, server}
        drops_answers = asyncio.Event()
        back = asyncio.create_task(_pass_back(replies, answers, drops_answers))
        back.add_done_callback(lambda _: answers.transport.abort())
        with suppress(OSError, asyncio.IncompleteReadError):
            await self._pass_on(client, server, drops_answers)
        server.transport.abort()
        await back
        self._open -= {answers, server}

    async def _pass_on(
        self,
        client: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        drops_answers: asyncio.Event,
    ) -> None:
        """Pass the client's messages on until one of the two closes or a cut is due."""
        server.write(await _read_message(client, b""))
        while True:
            kind = await client.readexactly(1)
            message = await _read_message(client, kind)
            cut = self._find_cut(kind, message)
            match cut:
                case None:
                    server.write(message)
                    await server.drain()
                case Cut.ANSWER | Cut.COMMIT_ANSWERED:
                    drops_answers.set()
                    server.write(message)
                    await server.drain()
                case Cut.BEFORE_COMMIT:
                    return
                case Cut.STATEMENT:
                    server.write(message[: len(message) // 2])
                    await server.drain()
                    return
                case Cut.COMMIT_SENT:
                    server.write(message)
                    while kind not in (_QUERY, _SYNC):
                        kind = await client.readexactly(1)
                        server.write(await _read_message(client, kind))
                    await server.drain()
                    # Closed, not aborted: what was written arrives.
                    server.close()
                    await server.wait_closed()
                    return

    def _find_cut(self, kind: bytes, message: bytes) -> Cut | None:
        if kind not in _STATEMENTS:
            return None
        if message[1 + _HEADER :].lstrip(b"\0").startswith(_COMMIT):
            return self._is_due(Cut.BEFORE_COMMIT, Cut.COMMIT_SENT, Cut.COMMIT_ANSWERED)
        return self._is_due(Cut.STATEMENT, Cut.ANSWER)


async def _read_message(client: asyncio.StreamReader, kind: bytes) -> bytes:
    """Read the rest of a message; the first of a connection has no kind."""
    header = await client.readexactly(_HEADER)
    size = int.from_bytes(header, "big") - _HEADER
    return kind + header + await client.readexactly(size)


async def _pass_back(
    replies: asyncio.StreamReader, answers: asyncio.StreamWriter, drops_answers: asyncio.Event
) -> None:
    """Pass the server's answers back; once they are dropped, end when the server is ready again."""
    with suppress(OSError):
        while block := await replies.read(_BLOCK):
            if not drops_answers.is_set():
                answers.write(block)
                await answers.drain()
            elif block[-6:-5] == _READY:
                return
