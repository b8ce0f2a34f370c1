"""Calls of REST: the address, the token, errors, and repetitions where they do no harm."""

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2

from memoria.app.remote.operations import RemoteRequest, build_request, find_operation
from memoria.app.remote.values import read_preview, report_unreadable
from memoria.bare.remote import is_own_machine
from memoria.errors import (
    AccessDeniedError,
    ClosedError,
    InvalidInputError,
    InvalidTurnError,
    MemoriaError,
    PreviewChangedError,
    RemoteError,
    ServerUnavailableError,
    shorten,
)
from memoria.model.base import new_id

Document = dict[str, Any]
"""JSON object, as REST answers it."""
URL, TOKEN = "MEMORIA_URL", "MEMORIA_TOKEN"
_TIMEOUT_S = 60
_CONNECT_S = 10
_PAUSES_S = (0.25, 1.0)
"""Pauses before a call is made for the second and the third time, the last one."""
_LONGEST_PAUSE_S = 10
_PASSING = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)
"""Statuses that pass by themselves."""
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Failures before anything was sent."""


class RestConnection:
    """Calls operations of one server with one token. Its texts hold no word of the token."""

    def __init__(
        self, url: str, token: str, pause: Callable[[float], Awaitable[None]] = anyio.sleep
    ) -> None:
        """Prepare connections; none is opened before a call.

        Args:
            url: where the server is.
            token: one of its tokens.
            pause: waits a number of seconds before a call is repeated.

        Raises:
            InvalidInputError: the address or the token can't be used.
        """
        self.url = check_url(url)
        self._pause = pause
        self._client = httpx2.AsyncClient(
            headers={
                "authorization": f"Bearer {check_token(token)}",
                "user-agent": f"memoria-python/{version('memoria-server')}",
                "accept": "application/json, application/problem+json",
            },
            timeout=httpx2.Timeout(_TIMEOUT_S, connect=_CONNECT_S),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        key: str | None = None,
        *,
        has_ids: bool = False,
    ) -> Document:
        """Call an operation and return its answer.

        A call that changes nothing, or that the server knows again, is made up to three times if
        the server is busy or the connection breaks; any other only if nothing of it was sent, or
        there were too many calls.

        Args:
            name: of the operation.
            arguments: JSON values by name; None for those that are not given.
            key: its `Idempotency-Key`, if the operation takes one; by default a new one.
            has_ids: whether ids in it tell a repetition, so that it needs no key.

        Raises:
            MemoriaError: it was not done, or there is no answer; says what to do.
        """
        if self._client.is_closed:
            raise ClosedError("This memory is closed. Open it again with memoria.open.")
        operation = find_operation(name)
        request = build_request(operation, arguments)
        key = (key or new_id()) if operation.takes_key and not has_ids else None
        may_repeat = operation.is_safe or has_ids or key is not None
        answer = await self._ask(request, key, may_repeat=may_repeat)
        if not answer.is_success:
            raise read_problem(answer)
        return _read_object(answer)

    async def _ask(
        self, request: RemoteRequest, key: str | None, *, may_repeat: bool
    ) -> httpx2.Response:
        for pause_s in _PAUSES_S:
            try:
                answer = await self._send(request, key)
            except _UNSENT:
                wait_s = pause_s
            except httpx2.RequestError as error:
                if not may_repeat:
                    raise self._no_answer(error) from error
                wait_s = pause_s
            else:
                # One call too many is refused before it has begun.
                may = may_repeat or answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
                if answer.status_code not in _PASSING or not may:
                    return answer
                wait_s = max(pause_s, _read_pause(answer))
                if wait_s > _LONGEST_PAUSE_S:
                    return answer
            await self._pause(wait_s)
        try:
            return await self._send(request, key)
        except httpx2.RequestError as error:
            raise self._no_answer(error, was_sent=not isinstance(error, _UNSENT)) from error

    async def _send(self, request: RemoteRequest, key: str | None) -> httpx2.Response:
        headers = {} if key is None else {"idempotency-key": key}
        if request.body is not None:
            headers["content-type"] = "application/json"
        return await self._client.request(
            request.method,
            f"{self.url}{request.path}",
            params=request.params,
            content=request.body,
            headers=headers,
        )

    def _no_answer(
        self, error: httpx2.RequestError, *, was_sent: bool = True
    ) -> ServerUnavailableError:
        happened = "It was asked and gave no answer" if was_sent else "It can't be reached"
        then = (
            "Whether it was done is not known: look before you call again."
            if was_sent
            else f"Nothing was done. Check {URL}, and that the server runs."
        )
        return ServerUnavailableError(f"{self.url}: {happened} ({type(error).__name__}). {then}")


def find_url(url: str | None) -> str:
    """Return the address that is given, or that of the environment.

    Raises:
        InvalidInputError: there is neither.
    """
    found = url or os.environ.get(URL)
    if not found:
        raise InvalidInputError(f"url: there is none. Give it, or set {URL}.")
    return found


def find_token(token: str | None) -> str:
    """Return the token that is given, or that of the environment.

    Raises:
        InvalidInputError: there is neither.
    """
    found = token or os.environ.get(TOKEN)
    if not found:
        raise InvalidInputError(
            f"token: there is none. Give it, or set {TOKEN}. `memoria token create` makes one on "
            "the server's machine."
        )
    return found


def check_url(url: str) -> str:
    """Return a server's address without `/mcp` or a slash at its end.

    Raises:
        InvalidInputError: it is no address, or the token would go over a network in clear text.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInputError(
            f"url: {shorten(_without_user(url))} is no address of a server. Write it as "
            "https://memory.example.com."
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise InvalidInputError(
            "url: leave out what stands before an @ and after a ? or #. The token goes beside it."
        )
    if parts.scheme == "http" and not is_own_machine(host):
        raise InvalidInputError(
            f"url: {shorten(url)} would send the token and the memory in clear text. Use https; "
            "http is for this machine alone."
        )
    return url.rstrip("/").removesuffix("/mcp").rstrip("/")


def check_token(token: str) -> str:
    """Return a token that can be sent.

    Raises:
        InvalidInputError: it holds a character that no token has; it is not repeated.
    """
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInputError(
            "token: it holds a character that no token has. Copy it once more, without the space "
            "or line end around it."
        )
    return token


def read_problem(answer: httpx2.Response) -> MemoriaError:
    """Return the error that an answer tells of."""
    try:
        problem = _read_object(answer)
    except RemoteError:
        problem = {}
    status, kind = answer.status_code, problem.get("kind")
    said = problem.get("detail") or problem.get("title")
    if not isinstance(said, str):
        said = f"The server answered with status {status} and gave no reason."
    error = _classes().get(str(kind)) or _class_for(status)
    return _build_error(error, said, problem.get("preview"))


def _build_error(kind: type[MemoriaError], said: str, preview: object) -> MemoriaError:
    """Build an error of a class with the server's own words."""
    error = kind.__new__(kind)
    MemoriaError.__init__(error, said)
    if isinstance(error, PreviewChangedError):
        error.preview = read_preview(preview) if isinstance(preview, dict) else None
    return error


def _classes() -> dict[str, type[MemoriaError]]:
    """Map kinds of errors to their classes; what a class knows beside its text is left out."""
    found, left = dict[str, type[MemoriaError]](), [MemoriaError]
    while left:
        kind = left.pop()
        is_of_turn = issubclass(kind, InvalidTurnError)
        found[kind.__new__(kind).kind] = InvalidInputError if is_of_turn else kind
        left += kind.__subclasses__()
    return found


def _class_for(status: int) -> type[MemoriaError]:
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return AccessDeniedError
        case HTTPStatus.UNPROCESSABLE_ENTITY | HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return InvalidInputError
        case _ if status in _PASSING:
            return ServerUnavailableError
        case _:
            return RemoteError


def _read_object(answer: httpx2.Response) -> Document:
    try:
        found = json.loads(answer.content)
    except ValueError as error:
        raise report_unreadable("it is no JSON") from error
    if not isinstance(found, dict):
        raise report_unreadable("it is no JSON object")
    return found


def _read_pause(answer: httpx2.Response) -> float:
    """Return the seconds after which a busy server wants to be asked again; 0 if it says none."""
    said = answer.headers.get("retry-after", "")
    return float(said) if said.isdecimal() and said.isascii() else 0.0


def _without_user(url: str) -> str:
    return url.rpartition("@")[2]
