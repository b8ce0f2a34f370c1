"""Reading of a request: its path, its query or body, and the order that they come to."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from typing import Any

from pydantic import TypeAdapter
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from memoria.errors import InvalidInputError, shorten
from memoria.model.base import Value
from memoria.model.query import build_query
from memoria.surface.http.rest.answers import RefusedCallError
from memoria.surface.http.rest.table import OrderT, RestRoute

TENANT = "tenant_id"
"""Argument that any body may have: the tenant that the caller believes to reach."""
_JSON = "application/json"
_INTEGER = re.compile(r"-?\d{1,18}")
_SWITCHES = {"true": True, "false": False}


async def read_order(route: RestRoute[OrderT], request: Request, tenant: str) -> OrderT:
    """Read the arguments of a call.

    Args:
        route: what is called.
        request: the call.
        tenant: the one that the caller's token reaches.

    Raises:
        RefusedCallError: the body can't be read, or is meant for another tenant.
        InvalidInputError: an argument is missing, unknown or out of bounds.
    """
    known = {} if route.reads_json else list_query_forms(route)
    fields = read_fields(known, request.query_params)
    if route.reads_json:
        body = await _read_body(request, route.most_bytes)
        named = body.pop(TENANT, tenant)
        if named != tenant:
            raise RefusedCallError(
                HTTPStatus.FORBIDDEN,
                f"{TENANT} names another tenant than the token, which reaches one alone. Leave "
                f"{TENANT} out, or show a token of that tenant.",
            )
        twice = [name for name in body if name in route.path_names]
        if twice:
            raise InvalidInputError(f"{twice[0]}: it is in the path already. Leave it out here.")
        fields |= body
    fields |= {name: request.path_params[name] for name in route.path_names}
    return build_query(route.order, fields)


async def read_bytes(request: Request, most: int) -> bytes:
    """Read a body whole.

    Raises:
        RefusedCallError: it is larger than allowed.
    """
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise RefusedCallError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The body is larger than {most:,} bytes. Nothing was done; send it in parts.",
            )
        parts.append(part)
    return b"".join(parts)


def require_type(request: Request, expected: str) -> None:
    """Check the media type of a body.

    Raises:
        RefusedCallError: it is another one.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != expected:
        raise RefusedCallError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"Send the body as {expected}, and say so in the header Content-Type.",
        )


async def _read_body(request: Request, most: int) -> dict[str, Any]:
    data = await read_bytes(request, most)
    if not data:
        return {}
    require_type(request, _JSON)
    try:
        body = json.loads(data.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedCallError(
            HTTPStatus.BAD_REQUEST, "The body is no JSON document. Nothing was done."
        ) from error
    if not isinstance(body, dict):
        raise RefusedCallError(
            HTTPStatus.BAD_REQUEST, "The body must be a JSON object, with an argument a field."
        )
    return {name: _read_whole(one) for name, one in body.items()}


def _read_whole(value: object) -> object:
    """Return a whole number such as `5.0` as an integer, which JSON Schema takes it for."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def read_fields(
    known: Mapping[str, frozenset[str]], given: ImmutableMultiDict[str, str]
) -> dict[str, Any]:
    """Return the arguments of a query in their own types; what fits none stays a text.

    Args:
        known: JSON types that each argument may have.
        given: the query, or what else has a text for each name.

    Raises:
        InvalidInputError: an argument is unknown, or given more than once.
    """
    fields = dict[str, Any]()
    for name in given:
        values = given.getlist(name)
        kinds = known.get(name)
        if kinds is None:
            takes = f"It takes {', '.join(known)}." if known else "It takes none."
            raise InvalidInputError(f"{shorten(name)}: there is no such query parameter. {takes}")
        if "array" in kinds:
            fields[name] = values
        elif len(values) > 1:
            raise InvalidInputError(f"{name}: it is given {len(values)} times. Give it once.")
        else:
            fields[name] = _read_value(values[0], kinds)
    return fields


def _read_value(text: str, kinds: frozenset[str]) -> object:
    if "integer" in kinds and _INTEGER.fullmatch(text):
        return int(text)
    if "boolean" in kinds:
        return _SWITCHES.get(text, text)
    if "object" in kinds:
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def list_query_forms(route: RestRoute[Any]) -> dict[str, frozenset[str]]:
    """Map the query's arguments to the JSON types that each may have."""
    kind: type[Value] = route.order
    forms = list_forms(kind)
    return {name: form for name, form in forms.items() if name not in route.path_names}


@cache
def list_forms(order: type[Value]) -> dict[str, frozenset[str]]:
    """Map arguments to the JSON types that each may have."""
    properties = TypeAdapter(order).json_schema().get("properties", {})
    return {
        name: frozenset(form.get("type", "") for form in (schema, *schema.get("anyOf", ())))
        for name, schema in properties.items()
    }
