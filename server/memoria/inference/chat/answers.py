"""Reading of a reply as a checked value; an unfit reply is returned with a complaint to send back.

Of an answer that does not keep to its form, whatever can be used is read: each operation by itself.
An answer that was cut off for its length is refused: with less text to read it may become whole.
"""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ValidationError

from memoria.errors import InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest
from memoria.inference.chat.loose_answer import LooseAnswer, list_name, read_loosely
from memoria.inference.chat.mend import is_escaped

_SHOWN_PROBLEMS = 5
_CUT_OFF = "length"


class UnfitAnswerError(InvalidAnswerError):
    """An answer that can be sent back to be repaired, with the complaint that goes with it."""

    def __init__(self, message: str, reply: ChatReply, complaint: str) -> None:
        super().__init__(message, too_much=reply.finish == _CUT_OFF)
        self.reply = reply
        self.complaint = complaint


def read_answer(request: ChatRequest[AnswerT], reply: ChatReply) -> LooseAnswer[AnswerT]:
    """Parse a reply; return the value in it, and the items of it that are unfit.

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

    It may have its list twice, of which JSON takes the last, or escapes that were escaped twice.
    """
    name = list_name(answer)
    return (name is not None and text.count(f'"{name}"') > 1) or is_escaped(text)


def _is_of_use(found: LooseAnswer[AnswerT]) -> bool:
    """Check whether any item of an answer is sound, or none is unfit."""
    name = list_name(type(found.value))
    return not found.unfit or bool(name and getattr(found.value, name))


def _describe_flaw(reply: ChatReply) -> str | None:
    """Describe what is wrong with an answer as a whole; return None if nothing is."""
    if reply.finish == _CUT_OFF:
        return f"it was cut off after {reply.output_tokens:,} tokens"
    return None if reply.text.strip() else "it is empty"


def _advise_on_flaw(reply: ChatReply) -> str | None:
    """Return the flaw of a whole answer as advice to the model; None without a flaw."""
    flaw = _describe_flaw(reply)
    return f"{flaw}; be much shorter" if reply.finish == _CUT_OFF else flaw


def _describe_without_content(error: ValidationError, answer: type[BaseModel]) -> str:
    """Describe an answer's problems without names that the model made up."""
    known = {*_schema_names(answer.model_json_schema())}
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return _list_problems(
        ".".join(str(part) for part in item["loc"] if isinstance(part, int) or part in known)
        + f" {item['type']}"
        for item in found
    )


def _describe_in_full(error: ValidationError) -> str:
    """Describe an answer's problems for the model that wrote it."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    return _list_problems(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found)


def _list_problems(problems: Iterable[str]) -> str:
    lines = [line.strip(" :") for line in problems]
    rest = f", and {len(lines) - _SHOWN_PROBLEMS} more" if len(lines) > _SHOWN_PROBLEMS else ""
    return ", ".join(lines[:_SHOWN_PROBLEMS]) + rest


def _schema_names(schema: object) -> Iterable[str]:
    """Yield every name that the answer's own schema uses."""
    if isinstance(schema, Mapping):
        for name, inner in schema.items():
            yield name
            yield from _schema_names(inner)
