"""How a question asks for JSON: in the request where the endpoint takes that, else in words."""

from dataclasses import replace
from typing import Any, Literal

from memoria.inference.chat.answers import bounded_schema, schema_text, strict_schema
from memoria.inference.chat.base import AnswerT, Question
from memoria.inference.templates import template

Form = Literal["bounded_schema", "json_schema", "json_object", "text"]

FORMS: tuple[Form, ...] = ("bounded_schema", "json_schema", "json_object", "text")
"""From the surest to what every model understands.

Small models repeat themselves without end where a text has no limit; some strict endpoints take no
limits.
"""


def response_format(form: Form, question: Question[AnswerT]) -> dict[str, Any] | None:
    """The request's `response_format`; None where the words alone must do."""
    match form:
        case "bounded_schema":
            return _named(question, bounded_schema(question.answer))
        case "json_schema":
            return _named(question, strict_schema(question.answer))
        case "json_object":
            return {"type": "json_object"}
        case "text":
            return None


def _named(question: Question[AnswerT], schema: dict[str, Any]) -> dict[str, Any]:
    named = {"name": question.answer.__name__, "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def worded(form: Form, question: Question[AnswerT]) -> Question[AnswerT]:
    """The question, with the schema in its words where the request does not carry it."""
    carried = form in ("bounded_schema", "json_schema")
    return question if carried else with_schema(question)


def with_schema(question: Question[AnswerT]) -> Question[AnswerT]:
    """The question, with the schema of its answer in words, which one that is repaired has."""
    form = template("json")
    if schema_text(question.answer) in question.text:
        return question
    return replace(
        question,
        instructions=f"{question.instructions}\n\n{form.instructions}",
        text=f"{question.text}\n\n{form.render(schema=schema_text(question.answer))}",
    )
