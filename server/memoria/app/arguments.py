"""Arguments of the library's methods, checked against a function's own signature.

The other faces parse what they are given before they call; a program may pass anything. Checking is
strict, because a number that arrives as text or a flag that arrives as a number is a mistake to be
told of, not to be guessed at.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Concatenate, ParamSpec, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, validate_call

from memoria.config import Settings
from memoria.errors import InvalidInputError, name_options
from memoria.language.lazy import remember_results
from memoria.language.reading.clean import Tally, clean_name
from memoria.model import Channel
from memoria.model.parse import replace_lone_surrogates, replace_unfit
from memoria.model.query import QueryT, build_query, query_parameters

_P = ParamSpec("_P")
_T = TypeVar("_T")
_SelfT = TypeVar("_SelfT")
_STRICT = ConfigDict(strict=True, defer_build=True, arbitrary_types_allowed=True)


def _replace_half_characters(value: object) -> object:
    return replace_lone_surrogates(value) if isinstance(value, str) else value


def _replace_unfit(value: object) -> object:
    return replace_unfit(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_replace_half_characters)]
"""Any text. Half a character, which no encoding can store, becomes U+FFFD."""
Name = Annotated[str, Field(max_length=500), BeforeValidator(_replace_unfit)]
"""A session's name, which is stored beside every turn of it."""
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Offset = Annotated[int, Field(ge=0, le=2**53)]
Bytes = Annotated[int, Field(ge=1, le=2**62)]
AdjacentTurns = Annotated[int, Field(ge=0, le=1_000)]
"""Neighbouring turns on each side."""
ShortTermTurns = Annotated[int, Field(ge=0, le=1000)]
"""The last turns of a session in a context package."""
Seconds = Annotated[float, Field(ge=0)]


def check_arguments(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Check a function's arguments before it begins.

    Raises:
        InvalidInputError: an argument is missing, unknown or not of its type. Nothing was done.
    """
    parameters, name = signature(function), function.__name__

    @wraps(function)
    def call_function(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return function(*args, **kwargs)

    # Not the function itself: pydantic would await a coroutine, and its errors must stay its own.
    begin: Callable[..., _T] = validate_call(config=_STRICT)(call_function)

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with suppress(ValidationError):  # it is found again, and told of, once they have names
            return begin(*args, **kwargs)
        named = _bind_by_name(parameters, name, args, kwargs)
        try:
            return begin(**named)
        except ValidationError as error:
            raise _argument_error(name, _describe_simplest(error)) from error

    return call


def takes_query(
    kind: type[QueryT],
) -> Callable[[Callable[[_SelfT, QueryT], _T]], Callable[Concatenate[_SelfT, ...], _T]]:
    """Let a method that takes a query also take the query's fields as arguments.

    Raises:
        InvalidInputError: an argument is missing, unknown or out of bounds. Nothing was done.
    """
    own = Parameter("self", Parameter.POSITIONAL_ONLY)
    parameters = Signature([own, *query_parameters(kind)])
    first = next(iter(kind.model_fields))

    def try_to_read(args: Sequence[object], kwargs: Mapping[str, object]) -> QueryT | None:
        """Return the query; None if an argument is faulty, which `build_query` then names."""
        if len(args) != (first not in kwargs):
            return None
        with suppress(ValidationError):
            return kind.model_validate({first: args[0], **kwargs} if args else kwargs)
        return None

    def decorate(method: Callable[[_SelfT, QueryT], _T]) -> Callable[Concatenate[_SelfT, ...], _T]:
        @wraps(method)
        def call(self: _SelfT, *args: object, **kwargs: object) -> _T:
            if len(args) == 1 and isinstance(args[0], kind) and not kwargs:
                return method(self, args[0])
            query = try_to_read(args, kwargs)
            if query is None:
                named = _bind_by_name(parameters, method.__name__, (self, *args), kwargs)
                del named["self"]
                query = build_query(kind, named, method.__name__)
            return method(self, query)

        call.__signature__ = parameters  # type: ignore[attr-defined]
        return call

    return decorate


def _bind_by_name(
    parameters: Signature, name: str, args: Sequence[object], kwargs: Mapping[str, object]
) -> dict[str, object]:
    """Bind the arguments to their names, so that a complaint can name them."""
    try:
        return parameters.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise _argument_error(name, str(error)) from error


def _argument_error(name: str, problems: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name}: {problems}. Nothing was done; mend the call and try again.",
        for_person=f"{name_options(problems)}. Nothing was done.",
    )


def _describe_simplest(error: ValidationError) -> str:
    """Name each argument's problem once, in its last, simplest form."""
    simplest = {
        item["loc"][0]: item["msg"].removeprefix("Value error, ")
        for item in error.errors(include_input=False)
    }
    return "; ".join(f"{name}: {problem}" for name, problem in simplest.items())


def clean_channel(channel: Channel) -> Channel:
    """Redact secrets in a channel's client and session."""
    names = {"client": channel.client, "session": channel.session}
    cleaned = {field: name and _clean(name) for field, name in names.items()}
    return channel if cleaned == names else channel.model_copy(update=cleaned)


def check_settings(settings: Settings) -> None:
    """Check that nothing is kept under a secret.

    Raises:
        InvalidInputError: the tenant's or the workspace's name holds one.
    """
    require_no_secret("tenant", settings.tenant)
    if settings.workspace is not None:
        require_no_secret("workspace", settings.workspace)


def require_no_secret(field: str, name: str) -> None:
    """Check that the name of a tenant or workspace holds no secret, and no NUL.

    Raises:
        InvalidInputError: the name holds one.
    """
    if "\0" in name:
        raise InvalidInputError(
            f"{field}: a NUL character stands in its name, which no database holds. Give it "
            "another name. Nothing was done."
        )
    if _clean(name) != name:
        raise InvalidInputError(
            f"{field}: a key or password seems to stand in its name, and nothing is kept under "
            "one. Give it another name. Nothing was done."
        )


@remember_results(256)
def _clean(name: str) -> str:
    return clean_name(name, Tally())
