"""Forms in which a request asks for JSON: by a schema if the endpoint takes it, else in words."""

import json
from dataclasses import replace
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from memoria.inference.chat.answers import form_in_words, schema_with_limits, schema_without_limits
from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.inference.templates import load_template

_PRIVATE_NAMES = (".local", ".lan", ".internal", ".home.arpa", ".localhost")

Form = Literal["bounded_schema", "json_schema", "json_object", "text"]

FORMS: tuple[Form, ...] = ("bounded_schema", "json_schema", "json_object", "text")
"""Forms from the surest to what every model understands.

Small models repeat themselves without end where a text has no limit; some strict endpoints take no
limits.
"""


def first_form(base_url: str) -> Form:
    """Return the form in which an endpoint is asked first.

    A server in one's own network runs small models, which a schema keeps to their form. Elsewhere
    models are larger and tokens have a price: there the form stands in words, in half the tokens.
    """
    return "bounded_schema" if _is_near(urlsplit(base_url).hostname or "") else "json_object"


def _is_near(host: str) -> bool:
    """Check for this machine or a private network, by a host's address or its plain name."""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_PRIVATE_NAMES)


def response_format(form: Form, request: ChatRequest[AnswerT]) -> dict[str, Any] | None:
    """Return the request's `response_format`; None for the form that needs words alone."""
    match form:
        case "bounded_schema":
            return _json_schema_format(request, schema_with_limits(request.answer))
        case "json_schema":
            return _json_schema_format(request, schema_without_limits(request.answer))
        case "json_object":
            return {"type": "json_object"}
        case "text":
            return None


def _json_schema_format(request: ChatRequest[AnswerT], schema: dict[str, Any]) -> dict[str, Any]:
    named = {"name": request.answer.__name__, "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def longest_form(request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """Return the request with the longest schema that may be sent with it, to estimate its cost."""
    schema = json.dumps(schema_without_limits(request.answer), ensure_ascii=False)
    return replace(request, instructions=f"{request.instructions}\n\n{schema}")


def put_form_in_words(form: Form, request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """Describe the answer's form in the request's words, unless a schema is sent along."""
    carried = form in ("bounded_schema", "json_schema")
    return request if carried else append_form(request)


def append_form(request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """Append a description of the answer's form to a request, unless the request has one.

    The description goes into the instructions, the same in all requests of a kind: endpoints cache
    what requests begin with.
    """
    template, form = load_template("json"), form_in_words(request.answer)
    if form in request.instructions or form in request.text:
        return request
    return replace(
        request,
        instructions=f"{request.instructions}\n\n{template.render(form=form)}",
        text=f"{request.text}\n\n{template.instructions}",
    )
