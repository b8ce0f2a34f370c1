"""The memory of a token, on a server over HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import anyio

from memoria.app.memory import Memoria
from memoria.app.remote import values
from memoria.app.remote.connection import Document, RestConnection, find_token, find_url
from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import (
    CaptureEvent,
    Memory,
    Receipt,
    Revision,
    Scratchpad,
    Turn,
    as_turns,
    new_id,
    now_millis,
    to_iso,
)
from memoria.model.attachment import AttachmentFile
from memoria.model.base import Value
from memoria.model.moments import UTC_ZONE, Zone

_P = ParamSpec("_P")
_T = TypeVar("_T")
_AnswerT = TypeVar("_AnswerT")
_VOTES = ("pin", "unpin", "upvote", "downvote")
_IN_OWN_SESSION = ("build_context", "remember", "update_scratchpad")


def _bind(
    method: Callable[Concatenate[Memoria, _P], Awaitable[_T]],
) -> Callable[..., dict[str, Any]]:
    """Return a function that maps the arguments of a call of a method to their names."""
    parameters, name = signature(method), method.__name__

    def bind(*args: object, **kwargs: object) -> dict[str, Any]:
        if len(args) == 1 and not kwargs and isinstance(args[0], Value):
            return args[0].model_dump(mode="json", exclude_unset=True)
        try:
            given = parameters.bind(None, *args, **kwargs).arguments
        except TypeError as error:
            raise InvalidInputError(f"{name}: {error}. Nothing was done.") from error
        del given["self"]
        return given

    return bind


def _call_over_http(
    method: Callable[Concatenate[Memoria, _P], Awaitable[_T]],
    read: Callable[[Document], _AnswerT],
    operation: str = "",
) -> Callable[Concatenate["RemoteMemoria", _P], Awaitable[_AnswerT]]:
    """Build the method that calls an operation in place of a method of `Memoria`.

    Args:
        method: its arguments are those of the operation, and its help is the help.
        read: reads the answer.
        operation: by default the one that has the method's name.
    """
    bind, name = _bind(method), operation or method.__name__

    @wraps(method)
    async def call(self: "RemoteMemoria", /, *args: _P.args, **kwargs: _P.kwargs) -> _AnswerT:
        given = bind(*args, **kwargs)
        if method.__name__ in _IN_OWN_SESSION and given.get("session_id") is None:
            given["session_id"] = self.session_id
        # An answer does not repeat what was asked.
        answer = {"query": given.get("query"), **await self.call(name, **given)}
        try:
            return read(answer)
        except KeyError as error:
            raise values.report_unreadable(f"`{error.args[0]}` is missing") from error

    return call


class RemoteMemoria:
    """One tenant's memory on a server. Get one from `memoria.open(url=…, token=…)`.

    Its methods are those of `Memoria`, with the same arguments and errors; the token decides which
    are allowed. A value has the fields that REST carries, and an `AttributeError` tells of others.
    Turns and sessions are REST's documents, in which texts come in pages and with tool calls.
    """

    def __init__(self, connection: RestConnection) -> None:
        self._connection = connection
        self.session_id = f"session-{new_id()}"
        """Session of what is recorded and asked here, where a call names none."""

    def __repr__(self) -> str:
        return f"RemoteMemoria({self.url!r})"

    if not TYPE_CHECKING:  # or no type checker would find a misspelt method

        def __getattr__(self, name):  # noqa: ANN001, ANN204  (nobody reads them)
            raise AttributeError(describe_missing(name))

    @property
    def url(self) -> str:
        """Address of the server."""
        return self._connection.url

    async def call(self, operation: str, /, **arguments: object) -> Document:
        """Call any operation of REST that has a JSON answer, and return its document.

        Args:
            operation: its name in `/openapi.json`, such as `get_origin`.
            arguments: JSON values, those in its path included.

        Raises:
            InvalidInputError: there is no such operation, or an argument can't be used.
            RemoteError: it was not done, or there is no answer.
        """
        return await self._connection.call(operation, arguments)

    search_memory = _call_over_http(Memoria.search_memory, values.read_result)
    search_conversation_traces = _call_over_http(
        Memoria.search_conversation_traces, values.read_result
    )
    build_context = _call_over_http(Memoria.build_context, values.read_package, "recall")
    remember = _call_over_http(Memoria.remember, values.read_remembered)
    update_scratchpad = _call_over_http(Memoria.update_scratchpad, values.read_scratchpad)
    get_memory = _call_over_http(Memoria.get_memory, values.read_memory)
    get_turn = _call_over_http(Memoria.get_turn, values.read_document)
    get_attachment = _call_over_http(Memoria.get_attachment, AttachmentFile.model_validate)
    get_session = _call_over_http(Memoria.get_session, values.read_document)
    list_memories = _call_over_http(Memoria.list_memories, values.read_memories)
    list_sessions = _call_over_http(Memoria.list_sessions, values.read_sessions)
    read_core = _call_over_http(Memoria.read_core, values.read_core_files)
    statistics = _call_over_http(Memoria.statistics, values.read_statistics, "tell_status")
    preview_forget = _call_over_http(Memoria.preview_forget, values.read_preview)
    forget_memory = _call_over_http(Memoria.forget_memory, values.read_forgotten)
    list_forget_reports = _call_over_http(Memoria.list_forget_reports, values.read_reports)
    get_forget_report = _call_over_http(Memoria.get_forget_report, values.read_report)
    _revise = _call_over_http(Memoria.revise_memory, values.read_revised)

    async def get_record(self, record_id: str, *, context: int = 2) -> Memory | Document:
        """Return the memory that has the id, or the document of the turn that has it."""
        try:
            return await self.get_memory(record_id)
        except NotFoundError:
            return await self.get_turn(record_id, context=context)

    async def scratchpads(
        self, limit: int = 3, *, session_id: str | None = None
    ) -> list[Scratchpad]:
        """List the scratchpads touched last, or the one of a session."""
        if session_id is None:
            return values.read_scratchpads(await self.call("list_scratchpads", limit=limit))
        try:
            found = await self.call("get_scratchpad", session_id=session_id)
        except NotFoundError:
            return []
        return [values.read_scratchpad(found)]

    async def revise_memory(
        self,
        memory_id: str,
        action: Revision,
        content: str | None = None,
        *,
        valid_from: str | None = None,
        until: str | None = None,
        turn_id: str | None = None,
        key: str | None = None,
    ) -> Memory:
        """Correct, confirm, archive, restore, pin, vote on a memory, or set where it is seen.

        Nothing of it is final. A memory's type is changed in a shell alone.

        Args:
            memory_id: from a search.
            action: what to do, as in `Memoria.revise_memory`.
            content: with `correct` the new wording.
            valid_from: with `correct`: since when it holds, ISO 8601; now by default.
            until: with `correct`: when the new wording ends.
            turn_id: with `correct`: the recorded turn it rests on.
            key: with a vote or a pin: the same in each repetition of one call, which then counts
                once.
        """
        if action in _VOTES:
            given = {"node_id": memory_id, "action": action}
            voted = await self._connection.call("give_feedback", given, key)
            return values.read_revised(voted)
        times = {"valid_from": valid_from, "until": until}
        return await self._revise(memory_id, action, content, turn_id=turn_id, **times)

    async def record_conversation(
        self,
        turns: Iterable[Turn | Mapping[str, object]],
        event: CaptureEvent | None = None,
        *,
        session_id: str | None = None,
        workspace: str | None = None,
    ) -> Receipt:
        """Keep turns verbatim. They are on disk when the receipt is given.

        Args:
            turns: models or dicts with the fields of `Turn`, in the order they were said.
            event: `session_end` or `compaction` closes the segment of the sessions touched.
            session_id: the session of turns that name none; this object's own by default.
            workspace: the project of sessions that begin here.
        """
        told = as_turns(turns)
        arguments = {
            "turns": list(map(_write_turn, told)),
            "event": event,
            "session_id": session_id or self.session_id,
            "workspace": workspace,
        }
        has_ids = all(turn.message_id for turn in told)
        answer = await self._connection.call("record_conversation", arguments, has_ids=has_ids)
        return values.read_receipt(answer)


@asynccontextmanager
async def open_remote(
    url: str | None = None, token: str | None = None
) -> AsyncIterator[RemoteMemoria]:
    """Reach a memory on a server over HTTP, until the end of the block.

    Nothing is sent before the first call.

    Args:
        url: where the server is, such as `https://memory.example.com`; `MEMORIA_URL` by default.
        token: what `memoria token create` has printed; `MEMORIA_TOKEN` by default.

    Raises:
        InvalidInputError: one of them is missing or can't be used; no token is sent over a network
            in clear text.
    """
    connection = RestConnection(find_url(url), find_token(token))
    try:
        yield RemoteMemoria(connection)
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()


def describe_missing(name: str) -> str:
    """Say of what a memory on a server has not where it is, or what to do instead."""
    if name == "wait_until_idle":
        return (
            f"{name}: over HTTP nothing waits for vectors. Leave it out: text is found at once, "
            "and `statistics()` counts what has no vector yet."
        )
    return (
        f"{name}: a memory on a server has no such attribute. What `Memoria` has beside these is "
        "for the machine that has the home."
    )


def _write_turn(turn: Turn) -> Document:
    """Return a turn as REST takes it; a time tells the clock of its speaker."""
    fields = turn.model_dump(mode="json", exclude={"at", "utc_offset"})
    written = {name: one for name, one in fields.items() if one is not None}
    if turn.at is None and turn.utc_offset is None:
        return written
    at, offset = now_millis() if turn.at is None else turn.at, turn.utc_offset
    said = to_iso(at, UTC_ZONE if offset is None else Zone.from_offset(offset))
    # `Z` is a time in UTC and no clock; a clock of UTC is told so.
    return {**written, "at": f"{said[:-1]}+00:00" if offset == 0 else said}
