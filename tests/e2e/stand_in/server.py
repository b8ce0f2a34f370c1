"""An HTTP server on loopback that stands in for a model's API.

It answers by script and keeps every request whole. It is the client's proxy as well: whatever asks
for another host is refused, and the host is written down.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from tests.e2e.stand_in.dialect import Dialect
from tests.e2e.stand_in.script import (
    END,
    Asked,
    Conclusion,
    Reply,
    Say,
    Script,
    answer_question,
    is_reading,
)

_READING_S = 8.0
"""A capable model takes as long for an answer of Memoria's, a slow one a minute."""


class StandIn(ThreadingHTTPServer):
    """Listens from the moment it is made."""

    daemon_threads = True

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dialect = dialect
        self.refused: list[str] = []
        """Hosts elsewhere that were asked for."""
        self.conclusions: tuple[Conclusion, ...] = ()
        """What it concludes where Memoria has it read."""
        self._questions: list[Asked] = []
        self._asked: list[Asked] = []
        self._script: Script = ()
        self._number = 0
        """Of the request; ids are made of it, and no two conversations may share one."""
        self._lock = Lock()
        self._began = time.monotonic()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def begin(self, script: Script) -> None:
        """Forget what was asked, and answer a new conversation."""
        with self._lock:
            self._script, self._asked, self._began = script, [], time.monotonic()

    @property
    def asked(self) -> list[Asked]:
        """Every request of the conversation."""
        with self._lock:
            return list(self._asked)

    @property
    def turns(self) -> list[Asked]:
        """The requests that continue the conversation, in order."""
        return [asked for asked in self.asked if asked.is_turn]

    @property
    def questions(self) -> list[Asked]:
        """Every question of Memoria's, of all conversations."""
        with self._lock:
            return list(self._questions)

    def read(self, path: str, body: dict[str, Any]) -> tuple[Reply, int]:
        """Keep a question of Memoria's; the answer, after as long as a model takes at least."""
        time.sleep(_READING_S)
        with self._lock:
            self._number += 1
            asked = Asked(path, body, time.monotonic() - self._began, is_turn=False)
            self._questions.append(asked)
            return Say(answer_question(body, self.conclusions)), self._number

    def take(self, path: str, body: dict[str, Any]) -> tuple[Reply, int]:
        """Keep the request; the reply to it, and its number."""
        with self._lock:
            is_turn = self.dialect.is_turn(path, body)
            self._number += 1
            n = sum(asked.is_turn for asked in self._asked)
            self._asked.append(Asked(path, body, time.monotonic() - self._began, is_turn))
            if not is_turn:
                return Say("{}"), self._number
            return (self._script[n] if n < len(self._script) else END), self._number


@contextmanager
def stand_in(dialect: Dialect) -> Iterator[StandIn]:
    """A server that listens while this is open."""
    with StandIn(dialect) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(json.loads(body or b"{}"))

    def do_GET(self) -> None:
        self._answer({})

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_CONNECT(self) -> None:
        self.server.refused.append(self.path)
        self.send_error(403)

    def _answer(self, body: dict[str, Any]) -> None:
        if self.path.startswith("http://"):
            self.server.refused.append(self.path)
            self.send_error(403)
            return
        take = self.server.read if is_reading(body) else self.server.take
        reply, number = take(self.path, body)
        answer = self.server.dialect.answer(self.path, body, reply, number)
        self.send_response(200)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its name there)
        """Nothing: the requests are kept."""
