"""`memoria serve`: the front speaks while the server loads, then hands over.

One process does both. A thread reads standard input from the first millisecond; it answers what can
be answered ahead and lets everything else wait in order. The main thread imports the server, opens
the memory, and reads on where the front stopped to answer.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Lock, Thread

from memoria.bare.ask import note_begun
from memoria.bare.collector import load_for_good
from memoria.bare.home import find_home, find_tenant
from memoria.bare.kept import INSTRUCTIONS, read_general, read_kept
from memoria.bare.plain_json import read_json
from memoria.bare.projects import find_project
from memoria.surface.front.streams import (
    INITIALIZE,
    LISTEN,
    MODERN,
    Inbox,
    Json,
    Outbox,
    acknowledge,
    claim_streams,
    has_envelope,
    is_whole_envelope,
    is_whole_handshake,
    read_lines,
    read_message,
    request_id,
)

FILE = os.path.join(os.path.dirname(__file__), "early.json")
"""Results by protocol version and method, or the name of the version that has the same result.

`python -m tests.surface.early_answers` writes it.
"""
_SPEAKS_FOR_US = (INITIALIZE, "server/discover")
"""Methods whose results have instructions in them."""


class Reply:
    """An answer given ahead of the server."""

    __slots__ = ("is_passed_on", "message")

    def __init__(self, message: Json, *, is_passed_on: bool) -> None:
        """Keep a message; `is_passed_on` says that the server has to answer the request, too."""
        self.message = message
        self.is_passed_on = is_passed_on


class EarlyAnswers:
    """Answers to requests that need no memory, given before the server is loaded.

    It follows what the client says as the server would: the first request decides whether there is
    a handshake, and what the server has to know of is passed on to it though it was answered. If a
    client opens in a way that is not understood, it says nothing more.
    """

    def __init__(self, kept_instructions: Callable[[], str | None]) -> None:
        """Load the answers.

        Args:
            kept_instructions: what the server would tell of itself now, or None where that is not
                known for certain.
        """
        with open(FILE, encoding="utf-8") as opened:
            results = read_json(opened.read())
        self._results: Mapping[str, Mapping[str, Json | str]] = results  # type: ignore[assignment]
        self._kept_instructions = kept_instructions
        self._version: str | None = None
        self._has_begun = False
        self._is_silent = False

    def answer(self, line: str) -> Reply | None:
        """Answer a line of the client; None if the server has to answer."""
        if self._is_silent or not line.strip():
            return None
        message = read_message(line)
        number = request_id(message)
        if message is None or number is None:
            is_clear = message is not None and message.get("id") is None  # a notification
            self._is_silent = not self._has_begun and not is_clear
            return None
        is_first, self._has_begun = not self._has_begun, True
        method, params = message["method"], message.get("params") or {}
        said = None
        if isinstance(method, str) and isinstance(params, dict):
            if is_first and method != INITIALIZE and has_envelope(params):
                self._version = MODERN
            answer = self._answer_modern if self._version == MODERN else self._answer_handshake
            said = answer(method, number, params)
        if said is None:
            self._is_silent = is_first or method == INITIALIZE
            return None
        return Reply(said, is_passed_on=is_first or method in (INITIALIZE, LISTEN))

    def _answer_modern(self, method: str, number: int | str, params: Json) -> Json | None:
        if not is_whole_envelope(params):
            return None
        if method == LISTEN:
            return acknowledge(number, params)
        return self._answer_static(method, number) if set(params) == {"_meta"} else None

    def _answer_handshake(self, method: str, number: int | str, params: Json) -> Json | None:
        if method == INITIALIZE:
            version = params.get("protocolVersion")
            is_known = isinstance(version, str) and INITIALIZE in self._results.get(version, {})
            if self._version is not None or not is_known or not is_whole_handshake(params):
                return None
            self._version = str(version)
        elif has_envelope(params) or set(params) - {"_meta"}:
            return None
        elif method == "ping":
            return _result(number, {})
        return self._answer_static(method, number)

    def _answer_static(self, method: str, number: int | str) -> Json | None:
        result = self._results.get(self._version or "", {}).get(method)
        if isinstance(result, str):
            result = self._results[result][method]
        if not isinstance(result, dict):
            return None
        if method in _SPEAKS_FOR_US and (kept := self._kept_instructions()) is not None:
            result = {**result, "instructions": kept}
        return _result(number, result)


def _result(number: int | str, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": number, "result": result}


_FIRST_ANSWER_S = 0.1
"""Longest wait for a client's first message before loading: two threads at once are each slower."""
_INTERNAL_ERROR = -32603
_TO_A_PERSON = (
    "Memoria serves MCP on standard input and output, and waits for a client to speak.\n"
    "Clients start it by themselves once they are wired: memoria connect\n"
    "Stop it with Ctrl-C.\n"
)
"""Advice for a person who starts the server in a terminal, where no client is."""


def serve(home: str | None, tenant: str | None, workspace: str | None) -> None:
    """Serve MCP on standard input and output until they close.

    Args:
        home: the data folder, where one was given.
        tenant: whose memory, where that was said.
        workspace: the project to work in, where one was named.

    Raises:
        MemoriaError: the memory can't be opened. Each request that waits is told so.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop_at_once)
    if os.isatty(0):
        sys.stderr.write(_TO_A_PERSON)
    front = Front(lambda: read_instructions(home, tenant, workspace))
    front.start()
    with suppress(OSError):  # without the note, a hook does not wait for this server
        note_begun(find_home(home, tenant), find_tenant(tenant))
    try:
        with load_for_good():
            from memoria.surface.mcp.stdio import serve_stdio

        front.begin_service()
        serve_stdio(home, tenant, workspace, front.inbox, front.outbox)
    except Exception as error:
        front.refuse_waiting(f"Memoria can't serve: {error}")
        raise


def _stop_at_once(*_: object) -> None:
    """End the process, whatever is under way.

    The SDK would wait for standard input to close. Nothing is lost by not waiting: what was
    acknowledged is on disk, and what was not is rolled back.
    """
    os._exit(0)


def _refuse(request: Json, problem: str) -> Json:
    """Return the refusal of a request; an agent reads that of a tool call as the tool's text."""
    if request.get("method") != "tools/call":
        return {"error": {"code": _INTERNAL_ERROR, "message": problem}}
    says = [{"type": "text", "text": problem}]
    return {"result": {"content": says, "isError": True, "resultType": "complete"}}


def read_instructions(home: str | None, tenant: str | None, workspace: str | None) -> str | None:
    """Read the kept instructions for this project, else for every project; None if outdated."""
    try:
        place = find_home(home, tenant)
        named = workspace or os.environ.get("MEMORIA_WORKSPACE") or find_project(place, os.curdir)
    except OSError:
        return None  # the current folder is gone
    whose = find_tenant(tenant)
    kept = read_kept(place, whose, named, INSTRUCTIONS)
    return read_general(place, whose, INSTRUCTIONS) if kept is None else kept


class Front:
    """Stand-in between the client and the server that loads."""

    def __init__(self, kept_instructions: Callable[[], str | None]) -> None:
        """Take the standard streams, and the kept instructions to answer with."""
        source, sink = claim_streams()
        self.inbox = Inbox()
        self.outbox = Outbox(sink)
        self._source = source
        self._early = EarlyAnswers(kept_instructions)
        self._first_answer = Event()
        self._opening = Lock()
        self._is_opening = False

    def start(self) -> None:
        """Listen to the client, and wait a moment for its first word."""
        Thread(target=self._listen, name="front", daemon=True).start()
        self._first_answer.wait(_FIRST_ANSWER_S)

    def begin_service(self) -> None:
        """Note that work may be under way from now on when the client leaves."""
        with self._opening:
            self._is_opening = True

    def refuse_waiting(self, problem: str) -> None:
        """Answer each waiting request with the reason why the server can't answer."""
        for line in self.inbox.take_all():
            request = read_message(line)
            number = request_id(request)
            if request is None or number is None:
                continue
            refusal = {"jsonrpc": "2.0", "id": number, **_refuse(request, problem)}
            if not self.outbox.has_said(refusal):
                self._say(refusal)

    def _listen(self) -> None:
        is_unused = True
        try:
            for line in read_lines(self._source):
                is_unused = is_unused and not line.strip()
                self._take(line)
                self._first_answer.set()
        finally:
            self.inbox.end()
            if is_unused:
                self._leave()

    def _take(self, line: str) -> None:
        reply = None if self.inbox.is_read else self._early.answer(line)
        if reply is None:
            self.inbox.put(line)
            return
        self._say(reply.message, is_repeated=reply.is_passed_on)
        if reply.is_passed_on:
            self.inbox.put(line)

    def _say(self, message: Json, *, is_repeated: bool = False) -> None:
        try:
            self.outbox.say(message, is_repeated=is_repeated)
        except OSError:
            return  # the client is gone, which the server will notice

    def _leave(self) -> None:
        """End the process if the client left without a word and no work is under way."""
        with self._opening:
            if not self._is_opening:
                os._exit(0)
