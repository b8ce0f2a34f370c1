"""A server that runs beside the test, what it logs, and raw requests to it."""

import logging
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from tests.surface.http.attack.agent import McpAgent, McpEra
from tests.surface.http.conftest import HttpServer, StartServer

from memoria.app.tokens import CreatedToken
from memoria.model.access import Access
from memoria.surface.http.app import HttpOptions

SAID = "My sister Quetzalcoatl has moved to Ghent and opens the vault there."
"""What every request that carries content says; no log and no refusal may repeat it."""
_SAID_WORD = "Quetzalcoatl"
_TRACEBACK = re.compile(r'Traceback|File "[^"]*\.py"|site-packages')
_WAIT_S = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back on a connection until it was closed."""

    raw: bytes

    @property
    def status(self) -> int | None:
        """Status of the first answer; None where the connection was closed without one."""
        found = re.match(rb"HTTP/1\.[01] (\d{3})", self.raw)
        return int(found[1]) if found else None

    @property
    def head(self) -> bytes:
        """The first answer's head, in lower case."""
        return self.raw.partition(b"\r\n\r\n")[0].lower()

    @property
    def count(self) -> int:
        """Number of answers."""
        return len(re.findall(rb"HTTP/1\.[01] \d{3}", self.raw))

    @property
    def is_by_parser(self) -> bool:
        """True if what was sent could not be read as HTTP, and so reached no application."""
        return self.raw.endswith(b"Invalid HTTP request received.")

    @property
    def form(self) -> str:
        """Media type of the first answer, without parameters; empty if it has none."""
        found = re.search(rb"content-type: ([a-z/+-]+)", self.head)
        return found[1].decode() if found else ""


class Records(logging.Handler):
    """Keeps what is logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []
        self._formatter = logging.Formatter("%(name)s %(levelname)s %(message)s")

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record as the line that a log would have."""
        self.lines.append(self._formatter.format(record))


@dataclass(slots=True)
class Served:
    """A server that runs in another thread, for requests of every kind."""

    server: HttpServer
    portal: BlockingPortal
    records: Records
    clients: ExitStack
    secrets: list[str] = field(default_factory=list)
    """What must be in no answer and in no log: secrets of tokens."""

    @property
    def port(self) -> int:
        """Port at which it listens."""
        port = urlsplit(self.server.url).port
        assert port is not None
        return port

    def create_token(
        self, tenant: str = "ann", access: Access = Access.WRITE, expires_at: int | None = None
    ) -> CreatedToken:
        """Create a token as the user would in a shell."""
        made = self.portal.call(
            partial(self.server.create_token, tenant, access, expires_at=expires_at)
        )
        self.secrets.append(made.text.rpartition(".")[2])
        return made

    def client(self, token: str = "") -> httpx2.Client:
        """Return a client that shows a token, open until the test ends; without one, none."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.clients.enter_context(
            httpx2.Client(base_url=self.server.url, headers=headers, timeout=_WAIT_S)
        )

    def agent(self, token: str, era: McpEra = "new") -> McpAgent:
        """Return an agent that calls over MCP."""
        return McpAgent(self.client(token), era)

    def send(self, raw: bytes, *, ends: bool = False) -> Answer:
        """Send bytes as they are; return what comes back until the server closes.

        Args:
            raw: what is sent.
            ends: True if the sender then says that no more comes.
        """
        with socket.create_connection(("127.0.0.1", self.port), timeout=_WAIT_S) as connection:
            parts: list[bytes] = []
            try:
                connection.sendall(raw)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65_536):
                    parts.append(part)
            except (ConnectionResetError, BrokenPipeError):
                pass  # a close while we send is a plain close
            return Answer(b"".join(parts))

    def ask(
        self,
        target: str | bytes,
        *headers: str | bytes,
        method: str = "POST",
        body: bytes = b"{}",
        host: str | None = None,
        ends: bool = False,
    ) -> Answer:
        """Send one request whose target and headers are written as they are.

        Args:
            target: what is asked for.
            headers: further lines of the head.
            method: HTTP's.
            body: sent with its length; None of either if it is empty.
            host: the name by which the server is addressed; its own by default.
            ends: True if the sender then says that no more comes.
        """
        lines = [
            b"%s %s HTTP/1.1" % (method.encode(), _encode(target)),
            b"Host: " + (f"127.0.0.1:{self.port}" if host is None else host).encode("latin-1"),
            b"Connection: close",
            *([b"Content-Length: %d" % len(body)] if body else []),
            *map(_encode, headers),
        ]
        return self.send(b"\r\n".join(lines) + b"\r\n\r\n" + body, ends=ends)

    def check_refusal(
        self, answer: Answer, statuses: Sequence[int] | None = None, of: object = ""
    ) -> None:
        """Check that an answer refuses and tells nothing.

        Args:
            answer: what came back.
            statuses: those that are right, 400 only where no HTTP could be read or a guard says so;
                by default any of a caller's mistakes, and a plain close.
            of: what is refused.
        """
        self.check_tells_nothing(answer.raw)
        if answer.status is None and not answer.raw and statuses is None:
            return
        right = range(400, 500) if statuses is None else statuses
        assert answer.status in right, (of, answer.raw[:400])
        if answer.status == 400 and statuses is not None:
            is_ours = answer.form == "application/problem+json"
            assert is_ours or answer.is_by_parser, (of, answer.raw[:400])
        if answer.status == 401:
            assert b"www-authenticate: bearer" in answer.head

    def check_tells_nothing(self, raw: bytes | str) -> None:
        """Check that a text has no traceback, no secret and nothing that was said."""
        text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
        assert not _TRACEBACK.search(text), text[:2000]
        assert _SAID_WORD not in text, text[:2000]
        told = [secret for secret in self.secrets if secret in text]
        assert not told, text[:2000]

    def check_goes_on(self) -> None:
        """Check that the next call is answered, and that no log tells what it must not."""
        client = self.client()
        assert client.get("/healthz").json() == {"alive": True}
        assert client.get("/readyz").json() == {"ready": True}
        self.check_tells_nothing("\n".join(self.records.lines))
        assert [one for one in self.records.lines if " ERROR " in one] == []


def _encode(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@pytest.fixture
def served(start_server: StartServer) -> Iterator[Served]:
    """A server in another thread; after the test it must still answer, and its log be clean."""
    options = HttpOptions(names=("memory.example.com",))
    with serving(lambda: start_server(options, private_networks="127.0.0.1")) as running:
        yield running


@contextmanager
def serving(start: Callable[[], AbstractAsyncContextManager[HttpServer]]) -> Iterator[Served]:
    """Run a server in another thread; in the end it must still answer, and its log be clean.

    Args:
        start: starts it, until the block of what it returns ends.
    """
    records = Records()
    loggers = [logging.getLogger(name) for name in (None, "uvicorn")]

    @asynccontextmanager
    async def serve() -> AsyncIterator[HttpServer]:
        async with start() as server:
            for name in ("uvicorn.error", "uvicorn.asgi"):
                logging.getLogger(name).setLevel(logging.WARNING)
            yield server

    for one in loggers:
        one.addHandler(records)
    try:
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(serve()) as server,
            ExitStack() as clients,
        ):
            running = Served(server, portal, records, clients)
            yield running
            running.check_goes_on()
    finally:
        for one in loggers:
            one.removeHandler(records)
