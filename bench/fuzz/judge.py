"""The promises, as checks. Each gives the problems it finds; none is good."""

import json
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # the SDK's own dependency; it has no stubs

import memoria
from memoria.errors import MemoriaError, StoreError
from memoria.language.budget import estimate_tokens

SLOWEST_S = 10.0
_MOST_CHARS = 2_000
_SHOWN_CHARS = 500
_JARGON = (
    "Error executing tool",
    "Error reading resource",
    "Error creating resource",
    "Error rendering prompt",
    "Traceback",
    "pydantic",
    "input_value",
    "input_type",
    "Value error",
    " object at 0x",
    "sqlite3.",
    "store failed",
)
_BUDGET_FACTOR, _BUDGET_SLACK = 1.5, 300
_PRODUCT = str(Path(memoria.__file__).parent)


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken promise. Kind and place say whether two are the same."""

    kind: str
    place: str
    detail: str


def unexpected(error: BaseException, name: str) -> Problem:
    """An exception that is not one of ours, by its class and our frame nearest to it."""
    lines = "".join(traceback.format_exception_only(error))
    return Problem(f"raised {type(error).__name__}", _place(error) or name, short(lines))


def refusal(text: str, place: str) -> Iterator[Problem]:
    """What an error says: one short sentence of ours."""
    if len(text) > _MOST_CHARS:
        yield Problem(f"error longer than {_MOST_CHARS} characters", place, short(text))
    for word in _JARGON:
        if word in text:
            yield Problem(f"error says {word.strip()!r}", place, short(text))
    if " " not in text.strip() or not text.rstrip().endswith((".", "?", ")")):
        yield Problem("error is no sentence", place, short(text))
    yield from sendable(text, place)


def answer(structured: object, text: str, schema: object, place: str) -> Iterator[Problem]:
    """What a tool answers when it does what was asked."""
    if structured is None:
        yield Problem("answer without structured content", place, short(text))
    else:
        yield from _fitting(structured, schema, place)
        yield from sendable(structured, place)
    if not text.strip():
        yield Problem("answer without a text twin", place, short(repr(structured)))
    yield from sendable(text, place)


def budget(text: str, most: int, place: str) -> Iterator[Problem]:
    """An answer to somebody who named a budget."""
    spent = estimate_tokens(text)
    if spent > most * _BUDGET_FACTOR + _BUDGET_SLACK:
        yield Problem("answer beyond its budget", place, f"{spent} tokens where {most} were given")


def sendable(document: object, place: str) -> Iterator[Problem]:
    """JSON in UTF-8, as every transport but the one in memory has to write it."""
    try:
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        yield Problem(f"answer can't be sent: {type(error).__name__}", place, short(str(error)))


def pace(seconds: float, place: str) -> Iterator[Problem]:
    """That nobody waits long."""
    if seconds > SLOWEST_S:
        yield Problem("slow", place, f"{seconds:.1f} s")


def raised(error: BaseException, name: str) -> Iterator[Problem]:
    """What a program catches: our own kind with a sentence, or a problem."""
    if isinstance(error, StoreError):
        yield Problem("bad input blamed on the store", _place(error) or name, short(str(error)))
    elif isinstance(error, MemoriaError):
        yield from refusal(str(error), _place(error) or name)
    else:
        yield unexpected(error, name)


def _fitting(structured: object, schema: Any, place: str) -> Iterator[Problem]:  # noqa: ANN401
    error = jsonschema.exceptions.best_match(_validator(json.dumps(schema)).iter_errors(structured))
    if error is not None:
        yield Problem("answer does not fit its schema", place, short(error.message))


@cache
def _validator(schema: str) -> Any:  # noqa: ANN401  (the library has no types)
    return jsonschema.Draft202012Validator(json.loads(schema))


def _place(error: BaseException) -> str | None:
    """The innermost frame in the product, of what caused the error if it is there, or of itself."""
    for one in filter(None, (error.__cause__, error)):
        frames = traceback.extract_tb(one.__traceback__)
        ours = [frame for frame in frames if frame.filename.startswith(_PRODUCT)]
        if ours:
            path = Path(ours[-1].filename).relative_to(_PRODUCT).as_posix()
            return f"{path}:{ours[-1].name}"
    return None


def short(text: str) -> str:
    """The beginning of a text that may be very long."""
    return (
        text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}… ({len(text):,} characters)"
    )
