"""Parts that all commands share: opening the memory, printing, and exit codes.

Exit codes: 0 done; 1 it could not be done, and why is on standard error; 2 the command was
misspelt, or names a home or tenant that is not there; 3 an import left lines
out; 4 doctor found something broken.
"""

import io
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from memoria.bare.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from rich.console import Console

    from memoria.app import Memoria
    from memoria.config import Settings
    from memoria.errors import MemoriaError
    from memoria.model import Channel
    from memoria.model.base import Value

    Shown = Value | dict[str, Any]

_T = TypeVar("_T")
_MODEL_WAIT_MS = 60_000
"""Longest wait of a search for a model that is loading."""
_BACKLOG_WAIT_S = 3.0
"""Longest wait of a search for the vectors of texts written just before."""
_CONTROLS = lazy_regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters except tab and newline: stored text must not move the cursor."""
_STEERING = lazy_regex(rf"{_CONTROLS.pattern}|[\u202a-\u202e\u2066-\u2069]")
"""Control characters, and signs that change a text's direction so that it misleads a reader."""

_DIM = ("progress.remaining", "progress.elapsed", "progress.percentage")
_GREEN = ("bar.complete", "bar.finished", "bar.pulse", "progress.spinner")
"""Parts of a progress bar; Rich's own colours vanish on a light background."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@cache
def out() -> "Console":
    """Return standard output. Made when first used: a server must not pay for it."""
    return _open_console(stderr=False)


@cache
def err() -> "Console":
    """Return standard error."""
    return _open_console(stderr=True)


def _open_console(*, stderr: bool) -> "Console":
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415
    from rich.theme import Theme  # noqa: PLC0415

    class PlainConsole(Console):
        """A console whose printed texts cannot steer the terminal."""

        def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401  (Rich's own)
            return super().render_str(without_steering(text), **options)

    theme = Theme(dict.fromkeys(_DIM, "dim") | dict.fromkeys(_GREEN, "green"))
    return PlainConsole(stderr=stderr, highlight=False, soft_wrap=True, theme=theme)


class Exit(IntEnum):
    """Exit codes of failures."""

    FAILED = 1
    MISSPELT = 2
    LINES_LEFT_OUT = 3
    UNSOUND = 4


@dataclass(frozen=True, slots=True)
class Options:
    """Options given before the command."""

    home: str | None
    tenant: str | None
    workspace: str | None = None

    @property
    def settings(self) -> "Settings":
        """Settings under these options; times are shown in their zone from now on."""
        from memoria.config import Settings  # noqa: PLC0415
        from memoria.surface.cli.times import show_times_in  # noqa: PLC0415
        from memoria.surface.text import show_places_in  # noqa: PLC0415

        settings = Settings.load_here(self.home, self.tenant, self.workspace)
        warn_of_settings(str(settings.home_path))
        show_times_in(settings.zone)
        show_places_in(str(settings.home_path))
        return settings

    @property
    def existing_settings(self) -> "Settings":
        """Settings under these options, of a home and tenant that exist.

        Raises:
            NoMemoryError: the home or tenant does not exist.
        """
        from memoria.app.engine import check_memory  # noqa: PLC0415

        settings = self.settings
        check_memory(settings)
        return settings


def with_memory(
    context: typer.Context,
    work: "Callable[[Memoria], Awaitable[_T]]",
    channel: "Channel | None" = None,
    *,
    reads_queue: bool = False,
    begins_home: bool = False,
    searches: bool = False,
    waits_for: str | None = None,
) -> _T:
    """Open the memory that the options name, do the work, and close the memory.

    A command that searches waits for vectors: it has no later search that would have them.
    A command ends soon, so it begins no request to a chat model unless that is what it is for. It
    makes no home or tenant unless it keeps something. What may take long is named in `waits_for`,
    which a terminal shows after a second. What opens a memory is imported here:
    `memoria --help` opens none.
    """
    import anyio  # noqa: PLC0415

    from memoria.app import open_memoria  # noqa: PLC0415
    from memoria.app.project_news import begin_home  # noqa: PLC0415
    from memoria.app.spool import COMMAND_BYTES  # noqa: PLC0415
    from memoria.model import COMMAND_LINE  # noqa: PLC0415

    options: Options = context.obj
    if begins_home:
        begin_home(options.home, options.tenant)
    settings = options.settings if begins_home else options.existing_settings
    if options.workspace is not None:
        from memoria.surface.cli.options import name_in_settings  # noqa: PLC0415  (others need not pay)

        settings = name_in_settings(settings, begins=begins_home)
    tell_news(settings)

    async def open_and_work() -> _T:
        async with open_memoria(
            settings=settings, channel=channel or COMMAND_LINE, reads_queue=reads_queue
        ) as memory:
            await memory.catch_up(COMMAND_BYTES)
            if searches:
                memory.embedder_wait_ms = _MODEL_WAIT_MS
                with suppress(TimeoutError):
                    await memory.wait_until_idle(timeout_s=_BACKLOG_WAIT_S)
            return await work(memory)

    what = waits_for or ("Loading the model, and reading what was said last" if searches else None)
    if what is None or not sys.stderr.isatty():
        done = anyio.run(open_and_work)
    else:
        from memoria.surface.cli.progress import show_wait  # noqa: PLC0415  (for a terminal alone)

        with show_wait(what):
            done = anyio.run(open_and_work)
    renew_answers(settings)
    return done


def renew_answers(settings: "Settings", *, begins: bool = False) -> None:
    """Renew kept answers that a command has outdated: the next session needs them at its start.

    Args:
        settings: of the home.
        begins: whether answers are also kept for the first time.
    """
    from memoria.bare.kept import is_outdated  # noqa: PLC0415

    with suppress(OSError):  # an unreadable answer is given to nobody, and doctor reports it
        begins = begins or is_outdated(str(settings.home_path), settings.tenant)
    if begins:
        from memoria.surface.mcp.instructions import keep_once_closed  # noqa: PLC0415  (the SDK with it)

        keep_once_closed(settings)


def is_for_subcommand(context: typer.Context, *, has_options: bool) -> bool:
    """Check whether a subcommand was named, which does all the work then.

    Raises:
        BadParameter: options stand before the subcommand, which would not see them.
    """
    named = context.invoked_subcommand
    if named is not None and has_options:
        raise typer.BadParameter(
            f"Options stand behind {named}; see {context.command_path} {named} --help."
        )
    return named is not None


def tell_news(settings: "Settings") -> None:
    """Print once on standard error the news of the current project, if there is any."""
    from memoria.app.project_news import take_news  # noqa: PLC0415  (others need not pay)

    news = take_news(settings, "person")
    if news is not None:
        sys.stderr.write(f"note: {without_steering(news)}\n")


def take_in_spool(context: typer.Context) -> None:
    """Take in everything from the spool; an entry that fails stays there, and doctor reports it."""
    from memoria.app.spool import ALL, count_waiting  # noqa: PLC0415
    from memoria.errors import MemoriaError  # noqa: PLC0415

    options: Options = context.obj
    settings = options.settings
    if count_waiting(settings.home_path, settings.tenant):
        with suppress(MemoriaError):
            with_memory(
                context,
                lambda memory: memory.take_in_spool(ALL),
                waits_for="Taking in what was said",
            )


@cache
def warn_of_settings(home: str) -> None:
    """Print once on standard error which of a home's settings can't be used."""
    from memoria.config import Settings  # noqa: PLC0415
    from memoria.settings_file import list_problems  # noqa: PLC0415

    for problem in list_problems(home, Settings):
        sys.stderr.write(f"warning: {without_steering(problem)}\n")


def print_error(error: "MemoriaError", *, as_json: bool = False) -> None:
    """Print an error on standard error, with what to do next, as a sentence or as JSON."""
    print_problem(error.kind, error.at_shell, error.next_command, as_json=as_json)


def print_problem(kind: str, text: str, command: str | None, *, as_json: bool) -> None:
    """Print an error on standard error: its kind, its text and the command that helps."""
    if as_json:
        said = {"kind": kind, "message": text, "next": command}
        sys.stderr.write(_as_json({"error": {name: one for name, one in said.items() if one}}))
        return
    from rich.text import Text  # noqa: PLC0415  (slow, and for errors alone)

    painted = Text.assemble(("error:", "red"), " ", without_steering(text))
    err().print(painted, soft_wrap=not err().is_terminal)


_YES = frozenset({"y", "yes", "是", "是的", "好", "好的", "对", "可以"})
_NO = frozenset({"", "n", "no", "否", "不", "不是", "不要", "不用"})


def is_agreed(question: str) -> bool:
    """Ask a question, again until it is answered in English or Chinese; an empty answer is no.

    Raises:
        typer.Abort: nobody was there to answer.
    """
    while True:
        said = typer.prompt(f"{question} [y/N]", default="", show_default=False, err=True)
        word = str(said).strip().strip("。.!！").lower()
        if word in _YES or word in _NO:
            return word in _YES
        sys.stderr.write("Answer y or n; 是 or 否 will do.\n")


def ask_person(question: str) -> None:
    """Ask a question and go on only after a yes; if nobody answers, name the option `--yes`.

    Raises:
        typer.Abort: somebody said no.
        typer.Exit: nobody was there to be asked.
    """
    from memoria.surface.cli.layout import columns, wrap_answer  # noqa: PLC0415  (for few commands)

    try:
        agreed = is_agreed(question)
    except typer.Abort:
        told = "Nobody has answered, so nothing was done. With --yes nobody is asked."
        err().print("\n" + wrap_answer(told, columns()))
        raise typer.Exit(Exit.FAILED) from None
    if not agreed:
        raise typer.Abort


def show(document: "Shown", text: str, *, as_json: bool) -> None:
    """Print an answer, as JSON or as text.

    Of a text, characters that would steer the terminal are left out, and invisible ones are shown.
    """
    if as_json:
        print_json(document if isinstance(document, dict) else document.to_json())
        return
    from memoria.surface.cli.layout import columns, has_colour, print_coloured, wrap_answer  # noqa: PLC0415  (rich is slow)  # noqa: PLC0415

    plain = wrap_answer(without_steering(text), columns())
    if has_colour():
        print_coloured(plain, out())
    else:
        sys.stdout.write(plain + "\n")


def without_steering(text: str) -> str:
    """Remove control characters from a text, and make invisible characters visible."""
    from memoria.language.reading.fences import show_invisible  # noqa: PLC0415  (compiles patterns)

    return show_invisible(_CONTROLS.sub("", text))


def warn(problem: str) -> None:
    """Print a warning on standard error."""
    sys.stderr.write(f"warning: {without_steering(problem)}\n")


def print_json(document: object) -> None:
    """Print one JSON document, with control and unprintable characters escaped."""
    sys.stdout.write(_as_json(document))


def _as_json(document: object) -> str:
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    text = json.dumps(document, ensure_ascii=not unicode, indent=2)
    return _STEERING.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n"


def use_any_encoding() -> None:
    """Set the output to escape characters that the terminal's encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
