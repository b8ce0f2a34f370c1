"""Hooks of other machines: what they have heard, what they ask, and what their token may do.

A collector beside the client reads transcripts, takes secrets out and sends turns here
(`app/collect.py`). They are recorded as a hook of this machine would have them recorded: whoever
has a token that may write speaks for the user, as whoever can write into the home does.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Annotated

import anyio
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from memoria.app import Memoria
from memoria.app.live_sessions import LiveSession
from memoria.app.open_home import in_thread
from memoria.bare.remote import ABOUT, ASK, RECORD
from memoria.config import NO_WORKSPACE
from memoria.errors import InvalidInputError, MemoriaError
from memoria.model import CaptureEvent
from memoria.model.access import Access
from memoria.model.parse import describe_problems
from memoria.model.provenance import hook_channel
from memoria.surface.http.callers import find_token
from memoria.surface.http.problems import NOT_STORED, answer_problem
from memoria.surface.http.rest.answers import answer_error
from memoria.surface.mcp.asked import QUESTIONS
from memoria.surface.mcp.calls import LIVE, ServedMemories, explain_lack

MOST_BYTES = 16 * 1024 * 1024
"""Most bytes of a report: a turn of the largest size, with every character escaped."""
_Name = Annotated[str, Field(min_length=1, max_length=500)]


class HookReport(BaseModel):
    """Turns of a session as a collector has read them, in the order in which they were said."""

    model_config = ConfigDict(extra="forbid")

    client: _Name
    session: _Name
    project: Annotated[str, Field(min_length=1, max_length=4096)]
    """The project it was said in, as the client's machine names it, or `none`."""
    event: CaptureEvent | None = None
    turns: list[dict[str, JsonValue]] = []


class HookQuestion(BaseModel):
    """A question of a hook, with the fields that a hook of the server's machine gives."""

    model_config = ConfigDict(extra="forbid")

    ask: str
    client: str | None = None
    workspace: str | None = None
    session: str | None = None
    prompt: str | None = None


class HookRoutes:
    """Routes for the hooks of other machines."""

    def __init__(self, body_within_s: float = 30.0) -> None:
        """Make the routes; a body must have come within so many seconds."""
        self._body_within_s = body_within_s
        self.memories: ServedMemories | None = None
        """Memories of the opened home; None before it is open and after it is closed."""

    def list_routes(self) -> list[Route]:
        """List the routes."""
        return [
            Route(ABOUT, self._guard(Access.READ, self._tell_about), methods=["GET"]),
            Route(RECORD, self._guard(Access.WRITE, self._record), methods=["POST"]),
            Route(ASK, self._guard(Access.READ, self._answer), methods=["POST"]),
        ]

    def _guard(
        self, needed: Access, answer: Callable[[Request, Memoria], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that refuses whoever may not do what is needed, and names errors."""

        async def serve(request: Request) -> Response:
            memories = self.memories
            if memories is None:
                return answer_problem(503, "The memory is not open. Call again in a moment.")
            try:
                if memories.find_access(request).includes(needed):
                    return await answer(request, memories.find(request))
            except _BodyError as error:
                return answer_problem(error.status, str(error), {"Connection": "close"})
            except ValidationError as error:
                return answer_problem(422, describe_problems(error, of="report"))
            except MemoriaError as error:
                return answer_error(error)
            await memories.note_refusal(request, f"{request.url.path} needs `{needed}`")
            return answer_problem(403, explain_lack(memories, request, needed))

        return serve

    async def _tell_about(self, request: Request, _memory: Memoria) -> Response:
        memories = self.memories
        access = None if memories is None else memories.find_access(request)
        is_read_only = memories is not None and memories.is_read_only
        tenant = find_token(request).subject
        return _answer({"tenant": tenant, "access": access, "read_only": is_read_only})

    async def _record(self, request: Request, memory: Memoria) -> Response:
        if "iss" in (find_token(request).claims or {}):  # an agent that signed in is not the user
            told = "Hooks need a token of this memory's own: `memoria token create` makes one."
            return answer_problem(403, told)
        body = await self._read_body(request)
        report = HookReport.model_validate(_parse(body))
        hook = memory.with_channel(hook_channel(report.client))
        receipt = await hook.record_conversation(
            report.turns, report.event, session_id=report.session, workspace=report.project
        )
        live = _name_live(report.client, report.session, report.project)
        is_over = report.event == "session_end"
        await self._note(request, memory, live, is_over=is_over)
        known = receipt.already_recorded
        return _answer({"recorded": receipt.recorded, "already_recorded": known})

    async def _answer(self, request: Request, memory: Memoria) -> Response:
        body = await self._read_body(request)
        question = HookQuestion.model_validate(_parse(body))
        answer = QUESTIONS.get(question.ask)
        if answer is None:
            raise InvalidInputError(f"ask: give one of {', '.join(QUESTIONS)}.")
        memory.warm_up()  # a session begins: its client is going to search
        if question.client and question.session:
            live = _name_live(question.client, question.session, question.workspace)
            await self._note(request, memory, live)
        fields = question.model_dump(exclude={"ask", "client"})
        return _answer({"text": await answer(memory, fields)})

    async def _read_body(self, request: Request) -> bytes:
        """Return the body of a request.

        Raises:
            _BodyError: it is too long, or does not come in time.
        """
        body = bytearray()
        with anyio.move_on_after(self._body_within_s):
            async for piece in request.stream():
                body += piece
                if len(body) > MOST_BYTES:
                    raise _BodyError(413, f"A report has {MOST_BYTES:,} bytes at most.")
            return bytes(body)
        raise _BodyError(408, "The report took too long.")

    async def _note(
        self, request: Request, memory: Memoria, live: LiveSession, *, is_over: bool = False
    ) -> None:
        """Note the session of a hook, if its token may write."""
        memories, token = self.memories, find_token(request).client_id
        if memories is not None and memories.find_access(request).includes(Access.WRITE):
            await in_thread(lambda: memory.live.note(token, live, is_over=is_over))


class _BodyError(Exception):
    """Raised for a body that is not read to its end."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class FindLiveSessions:
    """Looks up, before each call over MCP, the sessions that hooks with its token tell of."""

    def __init__(self, app: ASGIApp, routes: HookRoutes) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with the sessions in its state."""
        memories = self._routes.memories
        is_call = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == "/mcp"
        if is_call and memories is not None:
            request = Request(scope)
            live, token = memories.find(request).live, find_token(request).client_id
            setattr(request.state, LIVE, await in_thread(lambda: live.list(token)))
        await self._app(scope, receive, send)


def _name_live(client: str, session: str, project: str | None) -> LiveSession:
    workspace = None if project == NO_WORKSPACE else project
    return LiveSession(hook_channel(client).source, session, workspace)


def _answer(document: dict[str, object]) -> Response:
    return JSONResponse(document, headers=NOT_STORED)


def _parse(body: bytes) -> object:
    """Parse JSON as transcripts are parsed, so that a text arrives as it was read.

    Raises:
        InvalidInputError: it is no JSON.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("The report is no JSON.") from error
