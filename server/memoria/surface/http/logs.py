"""Logs of a server: a line a request, and what goes wrong, without a word of what anybody said.

The message of an exception may quote it, and is left out; its kind and its place in the code stay.
"""

import errno
import json
import logging
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from memoria.surface.http.health import PROBES
from memoria.surface.http.observing import ObservedRequest
from memoria.surface.http.workers import SERVING

LogForm = Literal["text", "json"]
_REQUESTS = logging.getLogger("memoria.requests")
_MS_PER_S = 1000
_OK = 200
_FIELDS = "memoria_request"

ExceptionInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


class RequestLog:
    """Writes a line for each request that was answered."""

    def begin_request(self) -> None:
        """Write nothing yet."""

    def end_request(self, request: ObservedRequest) -> None:
        """Write the line of a request, unless a probe of health found all well."""
        if request.route in PROBES and request.status == _OK:
            return
        fields: dict[str, str | int] = {
            "method": request.method,
            "route": request.route,
            "call": request.call,
            "status": request.status,
            "ms": round(request.seconds * _MS_PER_S),
            "token": request.token_end,
        }
        given = {key: value for key, value in fields.items() if value != ""}
        _REQUESTS.info("request", extra={_FIELDS: given})

    def end_call(self, name: str, outcome: str, seconds: float) -> None:
        """Write nothing: a call is part of its request."""


class QuietFormatter(logging.Formatter):
    """Writes records as lines of text, exceptions without their messages."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text: one line, and those of an exception."""
        fields = getattr(record, _FIELDS, None)
        at = _format_time(record)
        if fields is not None:
            return " ".join((at, *(_write_field(key, value) for key, value in fields.items())))
        line = f"{at} {record.levelname} {record.name}: {record.getMessage()}"
        return "\n".join((line, *list_exception(record.exc_info)))


class JsonFormatter(logging.Formatter):
    """Writes each record as one line of JSON, exceptions without their messages."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a JSON object."""
        written: dict[str, object] = {"time": _format_time(record), "level": record.levelname}
        fields = getattr(record, _FIELDS, None)
        if fields is not None:
            return json.dumps(written | fields)
        written |= {"logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            written["exception"] = list_exception(record.exc_info)
        return json.dumps(written, ensure_ascii=False)


def start_logging(form: LogForm | None) -> None:
    """Write warnings to standard error, and with a form a line a request.

    Args:
        form: how lines are written; None for warnings alone, as text.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else QuietFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    SERVING.setLevel(logging.INFO)
    _REQUESTS.setLevel(logging.WARNING if form is None else logging.INFO)


def list_exception(info: ExceptionInfo | None) -> list[str]:
    """List the lines of an exception and of what caused it: places in the code, and kinds."""
    error = info[1] if info else None
    return [] if error is None else [line for one in _chain(error) for line in _describe(one)]


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it came from, the first of them first."""
    former = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if former is not None:
        yield from _chain(former)
    yield error
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _chain(one)


def _describe(error: BaseException) -> Iterator[str]:
    for place in traceback.extract_tb(error.__traceback__):
        yield f"  {place.filename}:{place.lineno} in {place.name}"
    number = errno.errorcode.get(error.errno or 0, "") if isinstance(error, OSError) else ""
    yield f"{type(error).__module__}.{type(error).__qualname__} {number}".rstrip()


def _format_time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _write_field(key: str, value: str | int) -> str:
    match key:
        case "ms":
            return f"{value} ms"
        case "token":
            return f"token {value}"
        case _:
            return str(value)
