"""Problems: what a caller did wrong, as `application/problem+json` (RFC 9457)."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from memoria.language.secrets.redact import redact
from memoria.model.base import write_document
from memoria.surface.documents import Document

PROBLEM = "application/problem+json"
NOT_STORED = {"Cache-Control": "no-store"}
"""Headers of every answer: what is private lies in no cache."""


def answer_problem(
    status: int, reason: str, headers: Mapping[str, str] | None = None, **further: object
) -> Response:
    """Return a problem, whose `detail` is a sentence on what to do."""
    problem = write_document(
        title=HTTPStatus(status).phrase, status=int(status), detail=redact(reason).text, **further
    )
    return Response(encode(problem), status, {**NOT_STORED, **(headers or {})}, PROBLEM)


async def answer_http_error(request: Request, error: Exception) -> Response:
    """Return the problem of a path or a method that there is not."""
    if not isinstance(error, HTTPException):
        raise error
    status = HTTPStatus(error.status_code)
    match status:
        case HTTPStatus.NOT_FOUND:
            reason = "There is nothing at this path. /openapi.json lists what there is."
        case HTTPStatus.METHOD_NOT_ALLOWED:
            reason = f"{request.method} is not for this path; the header Allow lists what is."
        case _:
            reason = error.detail
    return answer_problem(status, reason, error.headers)


def encode(document: Document) -> bytes:
    """Return a document as the bytes of its JSON, with a line end for whoever is in a shell."""
    return f"{json.dumps(document, ensure_ascii=False, separators=(',', ':'))}\n".encode()
