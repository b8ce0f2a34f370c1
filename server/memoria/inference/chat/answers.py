"""Reading of a reply as a checked value, and the complaint that an unfit one is sent back with.

An answer that does not keep to its form is read for what can be used of it: each operation by
itself. One that was cut off for its length is none, for what it lacks may be read with less text.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from memoria.errors import InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest
from memoria.inference.chat.loose_answer import LooseAnswer, list_name, read_loosely
from memoria.inference.chat.mend import is_escaped
from memoria.inference.chat.schema import compact_schema, describe_form

_SHOWN_PROBLEMS = 5
_CUT_OFF = "length"


class UnfitAnswerError(InvalidAnswerError):
    """An answer that can be sent back to be repaired, with the complaint that goes with it."""

    def __init__(self, message: str, reply: ChatReply, complaint: str) -> None:
        super().__init__(message, too_much=reply.finish == _CUT_OFF)
        self.reply = reply
        self.complaint = complaint


def read_answer(request: ChatRequest[AnswerT], reply: ChatReply) -> LooseAnswer[AnswerT]:
    """Return the value that the reply holds, and the items in it that are of no use.

    Raises:
        ModelRefusedError: the model would not answer.
        UnfitAnswerError: nothing in it is of use.
    """
    if reply.finish == "refused":
        raise ModelRefusedError(
            "The model, or a filter before it, refused to answer. Asking again will not help."
        )
    try:
        value = request.answer.model_validate_json(reply.text)
        again = _may_say_more(reply.text, request.answer)
        return (_read_again(request, reply) if again else None) or LooseAnswer(value)
    except ValidationError as error:
        found = None if reply.finish == _CUT_OFF else _read_again(request, reply)
        if found is not None and _is_of_use(found):
            return found
        problem = _describe_flaw(reply) or _describe_without_content(error, request.answer)
        complaint = _advise_on_flaw(reply) or _describe_in_full(error)
    raise UnfitAnswerError(
        f"The model's answer is no {request.answer.__name__}: {problem}. "
        "If this goes on, use a larger model.",
        reply,
        complaint,
    )


def _read_again(request: ChatRequest[AnswerT], reply: ChatReply) -> LooseAnswer[AnswerT] | None:
    return read_loosely(request.answer, reply.text, request.instructions)


def _may_say_more(text: str, answer: type[BaseModel]) -> bool:
    """Check whether an answer that keeps to its form may still mean something else.

    It has its list twice, of which JSON lets the last one count, or escapes that were escaped.
    """
    name = list_name(answer)
    return (name is not None and text.count(f'"{name}"') > 1) or is_escaped(text)


def _is_of_use(found: LooseAnswer[AnswerT]) -> bool:
    """Check whether anything of an answer is sound, or nothing in it is unfit."""
    name = list_name(type(found.value))
    return not found.unfit or bool(name and getattr(found.value, name))


def _describe_flaw(reply: ChatReply) -> str | None:
    """Describe the answer's flaw as a whole; None where it has none."""
    if reply.finish == _CUT_OFF:
        return f"it was cut off after {reply.output_tokens:,} tokens"
    return None if reply.text.strip() else "it is empty"


def _advise_on_flaw(reply: ChatReply) -> str | None:
    """Return the flaw as advice to the model, or None."""
    flaw = _describe_flaw(reply)
    return f"{flaw}; be much shorter" if reply.finish == _CUT_OFF else flaw


def _describe_without_content(error: ValidationError, answer: type[BaseModel]) -> str:
    """Describe the problems without a word of the model's: names it made up are left out."""
    known = {*_schema_names(answer.model_json_schema())}
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return _list_problems(
        ".".join(str(part) for part in item["loc"] if isinstance(part, int) or part in known)
        + f" {item['type']}"
        for item in found
    )


def _describe_in_full(error: ValidationError) -> str:
    """Describe the problems as the model that made them may see them."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return _list_problems(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found)


def _list_problems(problems: Iterable[str]) -> str:
    lines = [line.strip(" :") for line in problems]
    rest = f", and {len(lines) - _SHOWN_PROBLEMS} more" if len(lines) > _SHOWN_PROBLEMS else ""
    return ", ".join(lines[:_SHOWN_PROBLEMS]) + rest


def _schema_names(schema: object) -> Iterable[str]:
    """Yield every name that our own schema uses."""
    if isinstance(schema, Mapping):
        for name, inner in schema.items():
            yield name
            yield from _schema_names(inner)


@cache
def schema_without_limits(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the answer's JSON schema in the subset that strict endpoints take.

    Every field is required and no other allowed. Limits on lengths go: they are checked when the
    answer is read. Nobody may change it: it is made once.
    """
    return compact_schema(answer.model_json_schema(), is_strict=True)


@cache
def schema_with_limits(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the schema with its limits on lengths: where they bind, no text goes on for ever.

    A field that has a default may be left out: that is shorter, here and in the answer.
    """
    return compact_schema(answer.model_json_schema(), is_strict=False)


@cache
def form_in_words(answer: type[BaseModel]) -> str:
    """Describe the answer's form for a prompt: it says what its schema says."""
    return describe_form(schema_with_limits(answer))
