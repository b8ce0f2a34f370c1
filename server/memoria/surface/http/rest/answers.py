"""Answers: JSON documents with an ETag, and a status for each error of ours."""

import hashlib
import re
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from memoria.errors import (
    ConflictError,
    ExportError,
    ForgottenError,
    InvalidInputError,
    LeaseLostError,
    MemoriaError,
    NoMemoryError,
    NotFoundError,
    PreviewChangedError,
    PrivateTimeError,
    UnknownProjectError,
)
from memoria.surface.documents import Document, write_preview
from memoria.surface.http.problems import NOT_STORED, answer_problem, encode

_TAG_CHARS = 32
_TAGS = re.compile(r'\s*(?:\*|(?:W/)?"[^"]*"(?:\s*,\s*(?:W/)?"[^"]*")*)\s*')
_STATUSES: Mapping[type[MemoriaError], HTTPStatus] = {
    NotFoundError: HTTPStatus.NOT_FOUND,
    NoMemoryError: HTTPStatus.NOT_FOUND,
    UnknownProjectError: HTTPStatus.NOT_FOUND,
    InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ExportError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ConflictError: HTTPStatus.CONFLICT,
    ForgottenError: HTTPStatus.CONFLICT,
    PreviewChangedError: HTTPStatus.CONFLICT,
    PrivateTimeError: HTTPStatus.CONFLICT,
    LeaseLostError: HTTPStatus.CONFLICT,
}
"""Statuses of errors that a caller can do something about; of any other it is 503."""


class RefusedCallError(Exception):
    """The call can't be done as it came; has the status and the sentence of the answer."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def status_for(kind: type[MemoriaError]) -> HTTPStatus:
    """Return the status of an error of this class."""
    of_class = (_STATUSES[one] for one in kind.__mro__ if one in _STATUSES)
    return next(of_class, HTTPStatus.SERVICE_UNAVAILABLE)


def answer_document(document: Document, status: int, if_none_match: str | None = None) -> Response:
    """Return a document as an answer.

    Args:
        document: what is answered.
        status: of the answer.
        if_none_match: ETags that a caller of GET knows already: if the document has one of them,
            the answer is 304 without it. None for other methods.
    """
    body = encode(document)
    tag = write_tag(body)
    headers = {**NOT_STORED, "ETag": tag}
    if if_none_match is not None and has_tag(if_none_match, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(body, status, headers, "application/json")


def answer_error(error: MemoriaError) -> Response:
    """Return the problem of an error of ours; it shows no secret that the caller has sent."""
    further: Document = {"kind": error.kind}
    if isinstance(error, PreviewChangedError):
        further["preview"] = write_preview(error.preview)
    return answer_problem(status_for(type(error)), str(error), **further)


def write_tag(body: bytes) -> str:
    """Return the ETag of a body: the same bytes, the same tag."""
    return f'"{hashlib.sha256(body).hexdigest()[:_TAG_CHARS]}"'


def tag_of(document: Document) -> str:
    """Return the ETag with which a document is answered."""
    return write_tag(encode(document))


def require_tags(header: str) -> None:
    """Check that a header has ETags in their quotes.

    Raises:
        RefusedCallError: it has something else, so that nobody can tell whether it names one.
    """
    if _TAGS.fullmatch(header) is None:
        raise RefusedCallError(
            HTTPStatus.BAD_REQUEST,
            'If-Match takes an ETag as it came, in its quotes: If-Match: "0123abcd". Nothing was '
            "done.",
        )


def has_tag(header: str, tag: str) -> bool:
    """Check whether a header of ETags names one.

    >>> has_tag('W/"a", "b"', '"a"'), has_tag("*", '"a"'), has_tag('"b"', '"a"')
    (True, True, False)
    """
    named = [one.strip().removeprefix("W/") for one in header.split(",")]
    return "*" in named or tag in named
