"""Options that several commands take: those of a query, projects by name, moments as typed.

Typer reads a command's options off its signature, so help, defaults and bounds follow from the
query. An option has the name of the field: `--max-tokens` is `max_tokens`, and `--type` is `types`,
which may be repeated.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from typer.models import OptionInfo

from memoria.app.projects import MeantProject, choose_meant, name_meant
from memoria.errors import InvalidInputError, NotFoundError, name_option, quote_value
from memoria.model import now_millis, parse_instant, to_iso
from memoria.model.base import Value
from memoria.model.query import has_whole_texts, help_text
from memoria.surface.cli.console import without_steering

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.config import Settings
    from memoria.surface.cli.console import Options


def read_moment(context: typer.Context, value: str | None) -> str | None:
    """Return the first moment of typed words as ISO 8601; words that are no time stay as they are.

    A weekday or date without a year is taken to be past, like everything on record.
    """
    if value is None:
        return None
    with suppress(InvalidInputError):
        parse_instant(value)
        return value
    from memoria.language.dates import times  # noqa: PLC0415  (only who types words pays for it)

    options: Options = context.obj
    zone = options.settings.zone
    words = value.strip()
    for span in times(words, now_millis(), zone, prefer="past"):
        if (span.start, span.end) == (0, len(words)):
            return to_iso(span.from_ms, zone)
    return value


_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])
_SEPARATOR = ","
_MOMENTS = frozenset({"since", "until", "as_of"})
_SHORT = {"limit": ("-n",)}
"""Short options, by the name of the field."""


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
    """Return the fields of a query from a command's words and options."""
    return {"query": " ".join(words), **read_fields(kind, options)}


def read_fields(kind: type[Value], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are given as options; lists of names may be separated by commas."""
    fields = {name: value for name, value in options.items() if value is not None}
    for name, value in fields.items():
        if get_origin(kind.model_fields[name].annotation) is Mapping:
            fields[name] = read_pairs(value)
        elif isinstance(value, list) and not has_whole_texts(kind.model_fields[name]):
            fields[name] = [part.strip() for one in value for part in one.split(_SEPARATOR)]
    return fields


def read_pairs(typed: Iterable[str]) -> dict[str, Any]:
    """Return the values typed as `key=value`: numbers, true and false as such, others as texts.

    Raises:
        InvalidInputError: one has no equals sign.
    """
    pairs: dict[str, Any] = {}
    for one in typed:
        key, sign, text = one.partition("=")
        if not sign:
            raise InvalidInputError(f"--metadata: give {quote_value(one)} as key=value.")
        pairs[key.strip()] = text
        with suppress(ValueError):
            pairs[key.strip()] = json.loads(text)
    return pairs


async def complete_session(memory: "Memoria", session_id: str | None) -> str | None:
    """Complete the beginning of a session's id; a text that begins no id is returned unchanged.

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
    is_several = get_origin(field.annotation) in (tuple, Mapping)
    option = typer.Option(name_option(name), *short, callback=callback, help=sentence)
    return Parameter(
        name,
        Parameter.KEYWORD_ONLY,
        default=field.default or None if is_several else field.default,
        annotation=Annotated[_option_type(field.annotation), option],
    )


def _option_type(annotation: Any) -> Any:  # noqa: ANN401  (whatever a field is annotated with)
    """Return a field's type for Typer: lists in place of tuples, without `Annotated`."""
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
        case origin if origin is Mapping:
            return list[str] | None
        case _:
            return Union[arguments]  # noqa: UP007  (made of what is known only now)


def name_in_settings(settings: "Settings", *, begins: bool) -> "Settings":
    """Return the settings with the project that the typed name means.

    Args:
        settings: with the typed name of a project.
        begins: whether an unknown project is begun.
    """
    if settings.workspace is None:
        return settings
    meant = name_meant(settings, settings.workspace)
    _tell_unknown(meant, begins=begins)
    return settings.model_copy(update={"workspace": meant.name})


async def name_in_query(memory: "Memoria", query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a query with the project that the typed name means."""
    given = query.get("workspace")
    if given is None:
        return {**query}
    meant = choose_meant(await memory.projects.list(), given)
    _tell_unknown(meant, begins=False)
    return {**query, "workspace": meant.name}


def _tell_unknown(meant: MeantProject, *, begins: bool) -> None:
    """Print on standard error that no project has this name, if the home has others."""
    if meant.is_known or not meant.others:
        return
    begun = " It begins with this." if begins else ""
    near = f" Did you mean {meant.near}?" if meant.near else ""
    told = f"no project is called {meant.name} yet.{begun}{near} See: memoria workspace list"
    sys.stderr.write(f"note: {without_steering(told)}\n")


ClientArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[CLIENT]",
        help="One of claude-code, claude-desktop, codex, gemini, cursor, vscode, opencode, "
        "windsurf, cline, goose, zed, qwen, copilot, kilo, antigravity, kiro, droid, roo, crush, "
        "junie, warp, openclaw, hermes, continue. Default: those on this machine, one by one.",
    ),
]
ScopeOption = Annotated[
    Literal["user", "project"],
    typer.Option(help="Your own configuration, or that of the project in this folder."),
]
HooksOption = Annotated[
    bool, typer.Option("--hooks/--no-hooks", help="Whether sessions are recorded by hooks.")
]
RecallOption = Annotated[
    bool, typer.Option("--recall", help="Lay what memory has on a prompt before the model.")
]
GuardOption = Annotated[
    bool, typer.Option("--guard", help="Say a line with a call that failed or was ruled out.")
]
