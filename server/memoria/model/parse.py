"""Parsing the arguments of callers, once, with errors that name the argument."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import ValidationError

from memoria.errors import InvalidInputError, InvalidTurnError, name_options, quote_value, shorten
from memoria.model.memory_types import STATABLE_TYPES, MemoryType, refuse_derived
from memoria.model.moments import Zone, parse_instant
from memoria.model.turn import Turn

_E = TypeVar("_E", bound=StrEnum)
MOST_TURNS = 10_000
"""Largest number of turns in a call: two seconds of writing."""


def as_turns(turns: object) -> list[Turn]:
    """Parse the turns of a call; times without an offset are those of `use_zone`.

    Raises:
        InvalidInputError: `turns` is no list, or too long a list.
        InvalidTurnError: a turn has fields missing, misspelt or of the wrong kind.
    """
    if isinstance(turns, str | bytes | Mapping) or not isinstance(turns, Iterable):
        raise InvalidInputError(
            "turns must be a list. Each turn is an object with a role and content."
        )
    given = list(turns)
    if len(given) > MOST_TURNS:
        raise InvalidInputError(
            f"turns holds {len(given):,} of them, and a call takes {MOST_TURNS:,} at most, because "
            "all others wait while it is written. Nothing was recorded; send them in parts."
        )
    return [as_turn(i, turn) for i, turn in enumerate(given)]


def as_turn(i: int, turn: Turn | Mapping[str, object]) -> Turn:
    """Parse the turn at place `i` of a call. A `Turn` is parsed too: it may hold unchecked values.

    Raises:
        InvalidTurnError: fields are missing, misspelt or of the wrong kind.
    """
    try:
        return Turn.model_validate(dict(turn) if isinstance(turn, Turn) else turn)
    except ValidationError as error:
        raise InvalidTurnError(i, describe_problems(error, of="turn")) from error


def as_instant(name: str, text: str | None, zone: Zone) -> int | None:
    """Parse an optional ISO 8601 argument to UTC epoch ms; without an offset, in the zone.

    Raises:
        InvalidInputError: `text` is not a date or time.
    """
    try:
        return None if text is None else parse_instant(text, zone)
    except InvalidInputError as error:
        problem = f"{name}: {error}"
        raise InvalidInputError(problem, for_person=name_options(problem)) from error


def as_member(kind: type[_E], name: str, value: str) -> _E:
    """Return the member of an enumeration that an argument names.

    Raises:
        InvalidInputError: there is no such member; the error names all members.
    """
    check_choice(name, value, list(kind))
    return kind(value)


def as_statable_type(value: str) -> MemoryType:
    """Return the type of a memory that somebody states.

    Raises:
        InvalidInputError: the type is unknown or may not be stated; the error says what to do.
    """
    try:
        if value not in list(MemoryType):
            check_choice("type", value, STATABLE_TYPES)
        return refuse_derived(MemoryType(value))
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def check_choice(name: str, value: str | None, choices: Sequence[str]) -> None:
    """Check that an argument is one of the choices.

    Raises:
        InvalidInputError: the argument is none of the choices; the error names them.
    """
    if value not in choices:
        problem = f"{name}: {quote_value(value)} is not one of {', '.join(choices)}."
        raise InvalidInputError(problem, for_person=name_options(problem))


def describe_problems(error: ValidationError, *, of: str) -> str:
    """Describe pydantic's problems, field by field; `of` names the whole value."""
    problems = list(dict.fromkeys(_problems(error, of)))
    rest = len(problems) - _NAMED_PROBLEMS
    return "; ".join(problems[:_NAMED_PROBLEMS]) + (f"; and {rest} more" if rest > 0 else "")


_NAMED_PROBLEMS = 5


_DEEPEST_SHOWN = 8
_IN_PLAIN_WORDS = {"tuple_type": "it must be a list", "string_type": "it must be a text"}
"""Plain words for pydantic's complaints that name types of Python."""


def _path(parts: Sequence[int | str]) -> list[str]:
    """List the parts of a field's path: long names shortened, deep paths without their middle."""
    shown = [shorten(str(part)) for part in parts]
    return shown if len(shown) <= _DEEPEST_SHOWN else [*shown[:4], "…", *shown[-2:]]


def _problems(error: ValidationError, of: str) -> Iterator[str]:
    for item in error.errors(include_url=False, include_input=False):
        field = ".".join(_path(item["loc"])) or of
        problem = _IN_PLAIN_WORDS.get(item["type"], item["msg"])
        yield f"{field}: {problem.removeprefix('Value error, ').rstrip('.')}"


def replace_lone_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoding can store, by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def replace_unfit(name: str) -> str:
    """Replace what no name of any engine can hold, half characters and NUL, by U+FFFD."""
    return replace_lone_surrogates(name).replace("\0", "\ufffd")


def is_web_address(url: str) -> bool:
    """Check whether a text is an HTTP address."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # no port, or no IPv6 address, is written like that
        return False


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_safe_address(url: str) -> bool:
    """Check whether an HTTP address is of TLS or of this machine, and names no user.

    >>> [is_safe_address(f"{one}/x") for one in ("https://a.b", "http://127.0.0.1:1", "http://a.b")]
    [True, True, False]
    """
    if not is_web_address(url):
        return False
    parts = urlsplit(url)
    return "@" not in parts.netloc and (parts.scheme == "https" or parts.hostname in _LOOPBACK)
