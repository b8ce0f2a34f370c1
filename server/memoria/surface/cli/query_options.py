"""The options of a command that searches: the fields of its query, made into a signature.

Typer reads a command's options off its signature, so help, defaults and bounds follow from the
query. An option has the name of the field: `--max-tokens` is `max_tokens`, and `--type` is `types`,
which may be repeated.
"""

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from typer.models import OptionInfo

from memoria.errors import NotFoundError, name_option
from memoria.model.base import Value
from memoria.model.query import has_whole_texts, help_text
from memoria.surface.cli.typed_times import read_moment

if TYPE_CHECKING:
    from memoria.app import Memoria

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])
_SEPARATOR = ","
_MOMENTS = frozenset({"since", "until", "as_of"})
_SHORT = {"limit": ("-n",)}
"""Short options that many type, by the name of the field."""


def takes_query_options(kind: type[Value]) -> Callable[[_CommandT], _CommandT]:
    """Give a command the options of a query.

    The command takes a context, the words for the query's first field where it has any, options
    of its own, and `**options`.
    """

    def decorate(command: _CommandT) -> _CommandT:
        own = signature(command)
        named = [one for one in own.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        first = [one for one in named if not _is_option(one)]
        last = [one for one in named if _is_option(one)]
        words = next(iter(kind.model_fields)) if len(first) > 1 else None
        fields = [_option(name, one) for name, one in kind.model_fields.items() if name != words]
        parameters = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*first, *fields, *last)]
        command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorate


def read_options(
    kind: type[Value], words: Iterable[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Read the fields of the query that a command was given; a list of names may have commas."""
    return {"query": " ".join(words), **read_fields(kind, options)}


def read_fields(kind: type[Value], options: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields that are given as options; a list of names may have commas."""
    fields = {name: value for name, value in options.items() if value is not None}
    for name, value in fields.items():
        if isinstance(value, list) and not has_whole_texts(kind.model_fields[name]):
            fields[name] = [part.strip() for one in value for part in one.split(_SEPARATOR)]
    return fields


async def complete_session(memory: "Memoria", session_id: str | None) -> str | None:
    """Complete the beginning of a session's id; what begins none is given back, to be told of.

    Raises:
        InvalidInputError: several begin so.
    """
    if not session_id:
        return session_id
    try:
        return (await memory.get_session(session_id, limit=1)).session_id
    except NotFoundError:
        return session_id


def _is_option(parameter: Parameter) -> bool:
    return any(isinstance(one, OptionInfo) for one in get_args(parameter.annotation))


def _option(name: str, field: FieldInfo) -> Parameter:
    text = help_text(field)
    sentence = f"{text[:1].upper()}{text[1:]}."
    callback = read_moment if name in _MOMENTS else None
    short = _SHORT.get(name, ())
    option = typer.Option(name_option(name), *short, callback=callback, help=sentence)
    return Parameter(
        name,
        Parameter.KEYWORD_ONLY,
        default=field.default or None if get_origin(field.annotation) is tuple else field.default,
        annotation=Annotated[_option_type(field.annotation), option],
    )


def _option_type(annotation: Any) -> Any:  # noqa: ANN401  (whatever a field is annotated with)
    """Return the type that Typer reads: a list for the query's tuple, and nothing annotated."""
    if get_origin(annotation) is Literal:
        return annotation
    arguments = tuple(_option_type(one) for one in get_args(annotation) if one is not Ellipsis)
    match get_origin(annotation):
        case None:
            return annotation
        case origin if origin is Annotated:
            return arguments[0]
        case origin if origin is tuple:
            return list[arguments[0]] | None  # type: ignore[valid-type]
        case _:
            return Union[arguments]  # noqa: UP007  (made of what is known only now)
