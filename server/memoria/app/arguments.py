"""The library's edge: arguments are checked against a function's own signature, in one place.

The other faces parse what they are given before they call; a program may pass anything. Checking is
strict, because a number that arrives as text or a flag that arrives as a number is a mistake to be
told of, not to be guessed at.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Signature, signature
from typing import Annotated, ParamSpec, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, validate_call

from memoria.errors import InvalidInputError
from memoria.text.strip import well_formed

_P = ParamSpec("_P")
_T = TypeVar("_T")
_STRICT = ConfigDict(strict=True, defer_build=True, arbitrary_types_allowed=True)


def _mended(value: object) -> object:
    return well_formed(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_mended)]
"""Any text. Half a character, which no encoding can store, becomes U+FFFD."""
Name = Annotated[str, Field(max_length=500), BeforeValidator(_mended)]
"""A session's name, which is stored beside every turn of it."""
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Offset = Annotated[int, Field(ge=0, le=2**53)]
Around = Annotated[int, Field(ge=0, le=1_000)]
"""Neighbouring turns on each side."""
Seconds = Annotated[float, Field(ge=0)]


def checked(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """The function with its arguments checked before it begins.

    Raises:
        InvalidInputError: an argument is missing, unknown or not of its type. Nothing was done.
    """
    parameters, name = signature(function), function.__name__

    @wraps(function)
    def unchecked(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return function(*args, **kwargs)

    # Not the function itself: pydantic would await a coroutine, and its errors must stay its own.
    begin: Callable[..., _T] = validate_call(config=_STRICT)(unchecked)

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        named = _bound(parameters, name, args, kwargs)
        try:
            return begin(**named)
        except ValidationError as error:
            raise _refusal(name, _simplest(error)) from error

    return call


def _bound(
    parameters: Signature, name: str, args: Sequence[object], kwargs: Mapping[str, object]
) -> dict[str, object]:
    """The arguments by name, so that a complaint can name them."""
    try:
        return parameters.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise _refusal(name, str(error)) from error


def _refusal(name: str, problems: str) -> InvalidInputError:
    return InvalidInputError(f"{name}: {problems}. Nothing was done; mend the call and try again.")


def _simplest(error: ValidationError) -> str:
    """What is wrong, once an argument: of several forms it could have, the last is the simplest."""
    simplest = {item["loc"][0]: item["msg"] for item in error.errors(include_input=False)}
    return "; ".join(f"{name}: {problem}" for name, problem in simplest.items())
