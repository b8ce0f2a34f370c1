"""Operations of REST that have a JSON answer, by name. A test holds the table to the server's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal
from urllib.parse import quote

from memoria.errors import InvalidInputError, shorten
from memoria.model.base import Value


@dataclass(frozen=True, slots=True)
class RemoteOperation:
    """Method and path of an operation, and when a call of it may be repeated."""

    method: Literal["GET", "POST", "PUT", "PATCH"]
    path: str
    """With the names of arguments in braces: `/memory/nodes/{memory_id}`."""
    is_safe: bool = False
    """True if it changes nothing that a search shows, so that it may be repeated."""
    takes_key: bool = False
    """True if a call with an `Idempotency-Key` may be repeated."""


def _read(path: str) -> RemoteOperation:
    return RemoteOperation("GET", path, is_safe=True)


def _ask(path: str) -> RemoteOperation:
    return RemoteOperation("POST", path, is_safe=True)


OPERATIONS: Mapping[str, RemoteOperation] = {
    "record_conversation": RemoteOperation("POST", "/memory/ingest", takes_key=True),
    "list_sessions": _read("/memory/sessions"),
    "get_session": _read("/memory/sessions/{session_id}"),
    "get_turn": _read("/memory/turns/{turn_id}"),
    "get_attachment": _read("/memory/turns/{turn_id}/attachment"),
    "list_scratchpads": _read("/memory/scratchpads"),
    "get_scratchpad": _read("/memory/scratchpads/{session_id}"),
    "update_scratchpad": RemoteOperation("PUT", "/memory/scratchpads/{session_id}"),
    "recall": _ask("/memory/recall"),
    "search_memory": _ask("/memory/search"),
    "search_conversation_traces": _ask("/memory/traces"),
    "list_memories": _read("/memory/nodes"),
    "remember": RemoteOperation("POST", "/memory/nodes"),
    "remember_several": RemoteOperation("POST", "/memory/nodes/batch"),
    "get_memory": _read("/memory/nodes/{memory_id}"),
    "revise_memory": RemoteOperation("PATCH", "/memory/nodes/{memory_id}"),
    "give_feedback": RemoteOperation("POST", "/feedback", takes_key=True),
    "get_memory_history": _read("/memory/nodes/{memory_id}/history"),
    "get_origin": _read("/memory/nodes/{node_id}/origin"),
    "look_around": _read("/memory/graph"),
    "list_review": _read("/memory/review"),
    "read_core": _read("/memory/core"),
    "preview_forget": _ask("/memory/forget/preview"),
    "forget_memory": RemoteOperation("POST", "/memory/forget"),
    "list_forget_reports": _read("/memory/forgotten"),
    "get_forget_report": _read("/memory/forgotten/{report_id}"),
    "tell_status": _read("/memory/status"),
    "list_queue": _read("/memory/queue"),
    "list_log": _read("/memory/audit"),
    "begin_night": RemoteOperation("POST", "/memory/consolidate"),
    "list_nights": _read("/memory/nights"),
    "get_night": _read("/memory/nights/{run_id}"),
    "undo_night": RemoteOperation("POST", "/memory/nights/{run_id}/undo"),
    "list_webhooks": _read("/memory/webhooks"),
    "add_webhook": RemoteOperation("POST", "/memory/webhooks"),
    "test_webhook": RemoteOperation("POST", "/memory/webhooks/{webhook_id}/test"),
    "remove_webhook": RemoteOperation("POST", "/memory/webhooks/{webhook_id}/remove"),
}
"""Export and import are left out, whose documents are lines, and the stream of events."""


@dataclass(frozen=True, slots=True)
class RemoteRequest:
    """A call, ready to be sent."""

    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


def find_operation(name: str) -> RemoteOperation:
    """Return the operation of a name.

    Raises:
        InvalidInputError: there is none.
    """
    found = OPERATIONS.get(name)
    if found is None:
        raise InvalidInputError(
            f"{shorten(name)}: there is no such operation. There are: {', '.join(OPERATIONS)}."
        )
    return found


def build_request(operation: RemoteOperation, arguments: Mapping[str, object]) -> RemoteRequest:
    """Write the arguments of a call into its path, and its query or body.

    Raises:
        InvalidInputError: an argument of the path is missing, or one can't be written as JSON.
    """
    given = {name: one for name, one in arguments.items() if one is not None}
    parts = operation.path.split("{")[1:]
    named = {part.partition("}")[0]: "" for part in parts}
    for name in named:
        if name not in given:
            raise InvalidInputError(f"{name}: it is missing. Nothing was done.")
        # A dot alone would be taken for a step in the path.
        named[name] = quote(str(given.pop(name)), safe="").replace(".", "%2E")
    path = operation.path.format(**named)
    if operation.method == "GET":
        return RemoteRequest("GET", path, tuple(_list_params(given)))
    return RemoteRequest(operation.method, path, body=_write_json(given))


def _list_params(given: Mapping[str, object]) -> list[tuple[str, str]]:
    params = list[tuple[str, str]]()
    for name, one in given.items():
        values = one if isinstance(one, list | tuple) else [one]
        params += [(name, _write_param(value)) for value in values]
    return params


def _write_param(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Enum():
            return str(value.value)
        case Mapping():
            return _write_json(value).decode()
        case _:
            return str(value)


def _write_json(given: Mapping[str, object]) -> bytes:
    try:
        # Half a character is written as an escape, and the server makes U+FFFD of it.
        return json.dumps(given, default=_write_value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"An argument can't be written as JSON: {error}. Nothing was done."
        ) from error


def _write_value(value: object) -> Any:  # noqa: ANN401  (JSON)
    match value:
        case Value():
            return value.model_dump(mode="json", exclude_unset=True)
        case Mapping():
            return dict(value)
        case set() | frozenset():
            return sorted(value)
        case _:
            raise TypeError(f"{type(value).__name__} is no type of JSON")
