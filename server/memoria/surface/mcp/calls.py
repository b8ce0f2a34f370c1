"""Calls of tools: the memory and session of a call, and the form of its answer."""

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mcp.server import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ResourceLink, TextContent
from starlette.requests import HTTPConnection

from memoria.app import Memoria
from memoria.app.live_sessions import choose_live
from memoria.bare.home import name_memory
from memoria.errors import InvalidInputError, MemoriaError
from memoria.language.reading.fences import show_invisible
from memoria.model import Channel, Trust, now_millis
from memoria.model.access import Access
from memoria.model.conclusions import MOST_CONCLUSIONS, HandedIn, KeptConclusion, RefusedConclusion
from memoria.model.moments import from_millis
from memoria.surface.documents import Document
from memoria.surface.text import remember_notes

_LONGEST_ID = 500
_CONNECTION = "mcp-session-id"
LIVE = "live_sessions"
"""Name in a request's state of the sessions that hooks tell of, with the caller's token."""


class ServedMemories(Protocol):
    """The memories that a server reaches: one, or that of whoever calls."""

    def find(self, request: object) -> Memoria:
        """Return the memory that a call reaches.

        Args:
            request: the HTTP request by which the call came; None where it came on a stream.
        """
        ...

    def find_access(self, request: object) -> Access:
        """Return what the caller may do."""
        ...

    @property
    def is_read_only(self) -> bool:
        """True if nobody may change anything, whatever their tokens allow."""
        ...

    async def note_refusal(self, request: object, reason: str) -> None:
        """Note for the user that a call was refused, in words of ours."""
        ...


class OneMemory:
    """The memory of a server that a client has started: its user may do everything."""

    def __init__(self, memory: Memoria) -> None:
        self._memory = memory

    def find(self, _request: object) -> Memoria:
        """Return the memory."""
        return self._memory

    def find_access(self, _request: object) -> Access:
        """Return that everything is allowed."""
        return Access.ADMIN

    @property
    def is_read_only(self) -> bool:
        """Return that changes are allowed."""
        return False

    async def note_refusal(self, _request: object, _reason: str) -> None:
        """Note nothing: nothing is refused to whom everything is allowed."""


def explain_lack(memories: ServedMemories, request: object, needed: Access) -> str:
    """Explain why a caller may not do what takes an access, and what helps."""
    if memories.is_read_only:
        return (
            "This server is read-only: nobody changes anything through it, whatever a token "
            "allows. Nothing was done."
        )
    access, tenant = memories.find_access(request), memories.find(request).tenant
    options = (*name_memory(tenant), "token", "create", "--access", needed)
    return (
        f"This needs a token with `{needed}`, and this one is for `{access}`. Nothing was done. "
        "Ask whoever runs the server for another; on the machine that has the memory "
        f"`{shlex.join(('memoria', *options))}` makes it in a shell."
    )


RequestContext = ServerRequestContext[ServedMemories]
Ctx = Context[ServedMemories, Any]


def find_memory(context: RequestContext) -> Memoria:
    """Return the memory that a request reaches, stamped with the client that calls."""
    memory = context.lifespan_context.find(context.request)
    client = _client_name(context)
    channel = Channel(name="mcp", trust=Trust.REPORTED, client=client)
    live, workspace = _find_live(context.request, channel.source)
    session = _find_session(context, client) or live
    channel = channel.model_copy(update={"session": session})
    return memory.with_channel(channel, _name_connection(context.request, client), workspace)


def memory_of(ctx: Ctx) -> Memoria:
    """Return the memory that a call of a tool reaches, and begin to load its model."""
    memory = find_memory(ctx.request_context)
    memory.warm_up()  # the first call loads the model: a client that never asks needs none
    return memory


def user_channel(ctx: Ctx) -> Channel:
    """Return the channel of the user, answering a question the client put."""
    client = _client_name(ctx.request_context)
    return Channel(name="mcp-elicitation", trust=Trust.USER, client=client)


def can_ask_user(ctx: Ctx) -> bool:
    """Check whether the client puts questions to its user."""
    offered = ctx.client_capabilities
    return offered is not None and offered.elicitation is not None


def title_of(name: str) -> str:
    """Write the name of a tool, prompt or resource as people read it."""
    return name.replace("_", " ").capitalize()


def answer_with(
    document: Document, text: str, links: Sequence[ResourceLink] = ()
) -> CallToolResult:
    """Return an answer as structured content and as text, invisible characters shown.

    Args:
        document: the answer.
        text: the same in words.
        links: to what it names, for the user.
    """
    return CallToolResult(
        content=[TextContent(type="text", text=show_invisible(text)), *links],
        structured_content=_show_in(document),
    )


def _show_in(value: Any) -> Any:  # noqa: ANN401  (JSON)
    """Show the invisible characters in the texts of a JSON value."""
    match value:
        case str():
            return show_invisible(value)
        case list():
            return [_show_in(one) for one in value]
        case dict():
            return {show_invisible(name): _show_in(one) for name, one in value.items()}
        case _:
            return value


def find_connection(context: RequestContext) -> object:
    """Return what tells a client's connection in the older era from all others.

    That is the protocol's own id over HTTP, and on a stream the one object that is made of the
    handshake: every request has a session of its own.
    """
    if isinstance(context.request, HTTPConnection):
        return context.request.headers.get(_CONNECTION)
    return id(context.session.client_params)


def _find_session(context: RequestContext, client: str | None) -> str | None:
    """Return the client's own id of the calling session; None if the client does not tell it.

    Codex says it with each call. Claude Code says it to the server that it starts. What an agent
    passes as `session_id` it has made up.
    """
    session: object = None
    if client == "claude-code" and context.request is None:
        session = os.environ.get("CLAUDE_CODE_SESSION_ID")
    elif client is not None and client.startswith("codex"):
        session = dict(context.meta or {}).get("threadId")
    return session if isinstance(session, str) and 1 <= len(session) <= _LONGEST_ID else None


def _find_live(request: object, source: str) -> tuple[str | None, str | None]:
    """Return the session and the project of which the caller's hooks tell over HTTP, if any do."""
    found = getattr(request.state, LIVE, ()) if isinstance(request, HTTPConnection) else ()
    return choose_live(found, source)


def _name_connection(request: object, client: str | None) -> str | None:
    """Return a session for what names none, over HTTP; None for a server with a single client.

    That is the connection in the older era. The newer one has no connections: token, client and
    day tell sessions apart, and an agent may name one.
    """
    if not isinstance(request, HTTPConnection):
        return None
    connection = request.headers.get(_CONNECTION)
    if connection is not None and len(connection) <= _LONGEST_ID:
        return connection
    token = request.user.access_token.client_id[-8:]
    return f"{client or 'client'} {token} {from_millis(now_millis()):%Y-%m-%d}"


def _client_name(context: RequestContext) -> str | None:
    params = context.session.client_params
    return None if params is None else params.client_info.name


Given = Sequence[Mapping[str, object]]
_LEFT_OUT: tuple[object, ...] = (None, "", [])
"""Values by which models say nothing."""


async def remember_several(memory: Memoria, given: Given, page: str | None) -> HandedIn:
    """Keep several memories: what a page came to, or each by itself.

    Raises:
        InvalidInputError: they are too many, or none of a page can be kept. Nothing was done.
        NotFoundError: there is no such page.
    """
    plain = [{k: v for k, v in one.items() if v not in _LEFT_OUT} for one in given]
    if page is not None:
        return await memory.hand_in(page.removeprefix("memory://unread/"), plain)
    if len(plain) > MOST_CONCLUSIONS:
        raise InvalidInputError(
            f"memories: these are {len(plain)}, and a call takes {MOST_CONCLUSIONS} at most. "
            "Nothing was done; send them in parts."
        )
    kept, refused = list[KeptConclusion](), list[RefusedConclusion]()
    for number, one in enumerate(plain, 1):
        try:
            kept.append(await _remember_one(memory, number, one))
        except MemoriaError as error:
            refused.append(RefusedConclusion(number=number, reason=str(error)))
    return HandedIn(kept=tuple(kept), refused=tuple(refused))


async def _remember_one(
    memory: Memoria, number: int, given: Mapping[str, object]
) -> KeptConclusion:
    kept = await memory.remember(**given)  # type: ignore[arg-type]  # `remember` checks the fields itself
    return KeptConclusion(
        number=number, id=kept.id, status=kept.status, notes=tuple(remember_notes(kept))
    )
