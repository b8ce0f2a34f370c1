"""`memoria serve`: the front speaks while the server loads, then hands over.

One process does both. A thread reads standard input from the first millisecond; it answers what can
be answered ahead and lets everything else wait in order. The main thread imports the server, opens
the memory, and reads on where the front stopped to answer.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread

from memoria.bare.ask import note_begun
from memoria.bare.collector import load_for_good
from memoria.bare.home import find_home, find_tenant
from memoria.bare.kept import INSTRUCTIONS, read_general, read_kept
from memoria.bare.projects import find_project
from memoria.surface.front.early import EarlyAnswers
from memoria.surface.front.messages import Json, read_message, request_id
from memoria.surface.front.streams import Inbox, Outbox, claim_streams, read_lines

_FIRST_ANSWER_S = 0.1
"""Longest wait of loading for a client's first word: two threads at once are each slower."""
_INTERNAL_ERROR = -32603
_TO_A_PERSON = (
    "Memoria serves MCP on standard input and output, and waits for a client to speak.\n"
    "Clients start it by themselves once they are wired: memoria connect\n"
    "Stop it with Ctrl-C.\n"
)
"""Advice where standard input is a terminal: no client is at the other end."""


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
    with suppress(OSError):  # where it can't be said, a hook does not wait for this server
        note_begun(find_home(home), find_tenant(tenant))
    try:
        with load_for_good():
            from memoria.surface.mcp.stdio import serve_stdio

        front.begin_service()
        serve_stdio(home, tenant, workspace, front.inbox, front.outbox)
    except Exception as error:
        front.refuse_waiting(f"Memoria can't serve: {error}")
        raise


def _stop_at_once(*_: object) -> None:
    """End, whatever is under way.

    The SDK would wait for standard input to close. Nothing is lost by not waiting: what was
    acknowledged is on disk, and what was not is rolled back.
    """
    os._exit(0)


def _refuse(request: Json, problem: str) -> Json:
    """Return what a request is answered with. What a tool says of it, an agent can act on."""
    if request.get("method") != "tools/call":
        return {"error": {"code": _INTERNAL_ERROR, "message": problem}}
    says = [{"type": "text", "text": problem}]
    return {"result": {"content": says, "isError": True, "resultType": "complete"}}


def read_instructions(home: str | None, tenant: str | None, workspace: str | None) -> str | None:
    """Read the instructions kept for this start, or for every project; None if none hold."""
    try:
        place = find_home(home)
        named = workspace or os.environ.get("MEMORIA_WORKSPACE") or find_project(place, os.curdir)
    except OSError:
        return None  # this folder is gone
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
        """Note that from now on something may be under way when the client leaves."""
        with self._opening:
            self._is_opening = True

    def refuse_waiting(self, problem: str) -> None:
        """Tell each request that waits why it will never be answered."""
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
            return  # the client is gone; the server finds that out by itself

    def _leave(self) -> None:
        """End at once for a client that left without a word, unless something is under way."""
        with self._opening:
            if not self._is_opening:
                os._exit(0)
