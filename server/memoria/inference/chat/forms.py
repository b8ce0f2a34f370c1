"""How a request asks for JSON: in the request where the endpoint takes that, else in words."""

from dataclasses import replace
from typing import Any, Literal

from memoria.inference.chat.answers import schema_text, schema_with_limits, schema_without_limits
from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.inference.templates import load_template

Form = Literal["bounded_schema", "json_schema", "json_object", "text"]

FORMS: tuple[Form, ...] = ("bounded_schema", "json_schema", "json_object", "text")
"""From the surest to what every model understands.

Small models repeat themselves without end where a text has no limit; some strict endpoints take no
limits.
"""


def response_format(form: Form, request: ChatRequest[AnswerT]) -> dict[str, Any] | None:
    """The request's `response_format`; None where the words alone must do."""
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


def put_schema_in_words(form: Form, request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """The request, with the schema in its words where the request does not carry it."""
    carried = form in ("bounded_schema", "json_schema")
    return request if carried else append_schema(request)


def append_schema(request: ChatRequest[AnswerT]) -> ChatRequest[AnswerT]:
    """The request, with the schema of its answer in words, which one that is repaired has.

    It belongs to the instructions, which are the same in every request of a kind: endpoints cache
    what requests begin with.
    """
    form, schema = load_template("json"), schema_text(request.answer)
    if schema in request.instructions or schema in request.text:
        return request
    return replace(
        request,
        instructions=f"{request.instructions}\n\n{form.render(schema=schema)}",
        text=f"{request.text}\n\n{form.instructions}",
    )
