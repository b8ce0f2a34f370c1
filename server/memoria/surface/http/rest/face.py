"""The REST face: Starlette routes made from the table."""

import logging
import re
from collections import defaultdict
from http import HTTPStatus
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memoria.errors import MemoriaError
from memoria.model import Channel, Trust
from memoria.surface.documents import Document
from memoria.surface.http.bodies import MOST_BODY_BYTES
from memoria.surface.http.events import Listening
from memoria.surface.http.problems import NOT_STORED, answer_problem
from memoria.surface.http.rest import openapi
from memoria.surface.http.rest.answers import (
    RefusedCallError,
    answer_document,
    answer_error,
    has_tag,
    require_tags,
    tag_of,
)
from memoria.surface.http.rest.reading import read_order
from memoria.surface.http.rest.routes import ROUTES
from memoria.surface.http.rest.table import RestCaller, RestRoute
from memoria.surface.mcp.calls import ServedMemories, explain_lack

_LOG = logging.getLogger(__name__)
_PRODUCT = re.compile(r"[^\s/()]{1,100}")
_MOST_KEY_CHARS = 200
_TOKEN_CHARS = 8


class RestFace:
    """Answers calls of the table's routes."""

    def __init__(self, listening: Listening) -> None:
        """Make the face; streams of events share `listening`."""
        self._listening = listening
        self._turns = defaultdict[str, anyio.Lock](anyio.Lock)
        self.memories: ServedMemories | None = None
        """The memories that calls reach; None before the home is open and after it is closed."""

    @property
    def own_limits(self) -> frozenset[str]:
        """Paths whose bodies may be longer than those of other calls."""
        return frozenset(one.path for one in ROUTES if one.most_bytes > MOST_BODY_BYTES)

    def list_routes(self) -> list[Route]:
        """List a Starlette route for each path, with all its methods; longer paths come first."""
        by_path = defaultdict[str, dict[str, RestRoute[Any]]](dict)
        for one in ROUTES:
            by_path[one.path][one.method] = one
        paths = sorted(by_path, key=lambda path: -path.count("/"))
        own = [self._build_route(path, by_path[path]) for path in paths]
        return [*own, Route(openapi.PATH, _answer_openapi)]

    def _build_route(self, path: str, by_method: dict[str, RestRoute[Any]]) -> Route:
        async def answer(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            return await self._answer(by_method[method], request)

        return Route(path, answer, methods=list(by_method))

    async def _answer(self, route: RestRoute[Any], request: Request) -> Response:
        try:
            return await self._call(route, request)
        except RefusedCallError as error:
            return answer_problem(error.status, error.reason)
        except MemoriaError as error:
            return answer_error(error)
        except ClientDisconnect:
            return answer_problem(HTTPStatus.BAD_REQUEST, "The body ended early.")
        except Exception:  # noqa: BLE001  (it is logged, and the caller told)
            _LOG.exception("REST operation %s raised an unexpected exception", route.name)
            return answer_problem(
                HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong; the server's log has it."
            )

    async def _call(self, route: RestRoute[Any], request: Request) -> Response:
        memories = self.memories
        if memories is None:
            raise RefusedCallError(
                HTTPStatus.SERVICE_UNAVAILABLE, "The home is not open. Call again in a moment."
            )
        if not memories.find_access(request).includes(route.access):
            await memories.note_refusal(request, f"{route.name} needs `{route.access}`")
            told = explain_lack(memories, request, route.access)
            raise RefusedCallError(HTTPStatus.FORBIDDEN, told)
        memory = memories.find(request)
        memory.warm_up()
        try:
            order = await read_order(route, request, memory.tenant)
        except RefusedCallError as error:
            if error.status == HTTPStatus.FORBIDDEN:
                await memories.note_refusal(request, f"{route.name} was meant for another tenant")
            raise
        channel = Channel(name="http", trust=Trust.REPORTED, client=_read_client(request))
        caller = RestCaller(
            memory.with_channel(channel),
            request.user.access_token.client_id,
            request,
            _read_key(route, request),
            self._listening,
        )
        answer = await self._do(route, caller, order)
        if isinstance(answer, Response):
            answer.headers.update(NOT_STORED)
            return answer
        known = request.headers.get("if-none-match", "") if route.method == "GET" else None
        return answer_document(answer, route.status, known)

    async def _do(
        self,
        route: RestRoute[Any],
        caller: RestCaller,
        order: Any,  # noqa: ANN401  (the route's)
    ) -> Document | Response:
        """Do what is asked for, unless something else is there now than `If-Match` names.

        Calls with this header are done one after the other, so that of two that name the same the
        second is refused. A call without it, or to another process, may come in between.
        """
        expected = caller.request.headers.get("if-match")
        if expected is None or route.current is None:
            return await route.call(caller, order)
        require_tags(expected)
        async with self._turns[caller.memory.tenant]:
            if not has_tag(expected, tag_of(await route.current(caller, order))):
                raise RefusedCallError(
                    HTTPStatus.PRECONDITION_FAILED,
                    "It has changed since. Nothing was done; read it again, and then decide.",
                )
            return await route.call(caller, order)


def _read_client(request: Request) -> str | None:
    """Return the product that a caller's User-Agent names first, such as `curl`."""
    product = _PRODUCT.match(request.headers.get("user-agent", ""))
    return None if product is None else product[0]


def _read_key(route: RestRoute[Any], request: Request) -> str | None:
    """Return the key of a call, told apart from those of other tokens."""
    key = request.headers.get("idempotency-key")
    if key is None or not route.takes_key:
        return None
    if not 1 <= len(key) <= _MOST_KEY_CHARS:
        raise RefusedCallError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"Idempotency-Key must have 1 to {_MOST_KEY_CHARS} characters.",
        )
    return f"{request.user.access_token.client_id[-_TOKEN_CHARS:]}:{key}"


async def _answer_openapi(_request: Request) -> Response:
    return JSONResponse(openapi.build_openapi())
