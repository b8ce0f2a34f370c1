"""Commands that wire Memoria into clients: connect, disconnect."""

import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoria.errors import ClientError, InvalidInputError
from memoria.surface.cli.console import (
    AsJson,
    Exit,
    Options,
    is_agreed,
    out,
    print_error,
    print_json,
    show,
    warn,
)

if TYPE_CHECKING:
    from memoria.connectors.clients.interface import (
        Client,
        ClientPlace,
        ClientProgram,
        HookWish,
        Scope,
    )
    from memoria.connectors.clients.wiring import ClientWiring
    from memoria.surface.cli.connect_text import WireConnection

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
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change and write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")]


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(connect)
    app.command()(disconnect)


def connect(
    context: typer.Context,
    client: ClientArgument = None,
    scope: ScopeOption = "user",
    hooks: Annotated[
        bool, typer.Option("--hooks/--no-hooks", help="Whether sessions are recorded by hooks.")
    ] = True,
    recall: Annotated[
        bool,
        typer.Option("--recall", help="Lay what memory has on a prompt before the model."),
    ] = False,
    model: Annotated[
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Whether the client reads your conversations; without either you are asked "
            "once. A no holds for agents, too, until `memoria config set agents_read true`.",
        ),
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Tell what is wired and whether it answers.")
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Wire Memoria into a client: show the change, ask, write it, say what remains to be done.

    Everything else in the client's files stays as it is, byte for byte.
    """
    from memoria.connectors.clients.interface import HookWish  # noqa: PLC0415

    place, program = _surroundings(context.obj)
    _check_model_option(model, as_json=as_json)
    if status:
        _show_status(client, place, program, _list_clients(context.obj), as_json=as_json)
        return
    chosen = _choose_clients(client, place, scope, _list_clients(context.obj))
    wish = HookWish(is_wanted=hooks, recall=recall)
    drafts = [_draft(one, scope, place, program, wish) for one in chosen]
    way = _WayToWrite(dry_run=dry_run, yes=yes, as_json=as_json)
    if client is None and not as_json:
        _say_found(chosen)
    _carry_out_all(drafts, place, way, is_one=client is not None)
    if not dry_run:
        _lay_ready(context.obj)
    if not (dry_run or as_json):
        from memoria.surface.cli.connect_offers import offer_model  # noqa: PLC0415  (reads a home)

        offer_model(context, chosen, place, program, is_wanted=model, asks=way.asks)
    if way.asks and not dry_run:
        from memoria.surface.cli.connect_offers import offer_nights  # noqa: PLC0415  (reads a home)

        offer_nights(context.obj)


def _draft(
    client: "Client",
    scope: "Scope",
    place: "ClientPlace",
    program: "ClientProgram",
    wish: "HookWish",
) -> "_ClientChange":
    from memoria.connectors.clients.wiring import draft_connection  # noqa: PLC0415

    flags = [*([] if wish.is_wanted else ["--no-hooks"]), *(["--recall"] if wish.recall else [])]
    draft = partial(draft_connection, client, scope, place, program, wish)
    words = (*program.options, "connect", client.name, *_scope_words(scope), *flags)
    return _ClientChange(client, scope, draft, words)


def _say_found(clients: "list[Client]") -> None:
    """Say which clients are on this machine."""
    titles = ", ".join(one.title for one in clients)
    _say(f"Found here: {titles}. `memoria connect --help` lists all that can be named.")


def _lay_ready(options: Options) -> None:
    """Lay ready what the first session of a client is told, where there is a memory."""
    from memoria.errors import MemoriaError  # noqa: PLC0415
    from memoria.surface.cli.console import renew_answers  # noqa: PLC0415

    with suppress(MemoriaError):  # it begins later, or is damaged, as the next command says
        renew_answers(options.existing_settings, begins=True)


def _check_model_option(model: bool | None, *, as_json: bool) -> None:
    """Check that no trial in words is wanted among JSON.

    Raises:
        ClientError: it is.
    """
    if model and as_json:
        raise ClientError(
            "--model tells of a trial in words. With --json, connect first; then say "
            "memoria model use NAME --json."
        )


def _list_clients(options: Options) -> "tuple[Client, ...]":
    """List all clients, with those of the packages that the settings name."""
    from memoria.connectors.clients.table import list_clients  # noqa: PLC0415

    packages: tuple[str, ...] = ()
    try:
        packages = options.settings.connectors or ()
    except InvalidInputError as error:  # a client's files can be put back all the same
        warn(str(error))
    return list_clients(packages, warn)


def _choose_clients(
    name: str | None, place: "ClientPlace", scope: "Scope", clients: "tuple[Client, ...]"
) -> "list[Client]":
    """Choose the client of a name; without one, those that are on this machine.

    Raises:
        ClientError: there is none.
    """
    from memoria.connectors.clients.status import is_installed  # noqa: PLC0415
    from memoria.connectors.clients.table import find_client  # noqa: PLC0415

    if name is not None:
        return [find_client(name, clients)]
    found = [one for one in clients if is_installed(one, place) and one.config(place, scope)]
    if not found:
        raise ClientError("No client was found on this machine. Name one: memoria connect codex")
    return found


def disconnect(
    context: typer.Context,
    client: Annotated[
        str | None,
        typer.Argument(
            help="The client, as `connect` names it; all that are connected without it."
        ),
    ] = None,
    scope: ScopeOption = "user",
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take out of a client's files what `connect` wrote, and nothing else."""
    from memoria.connectors.clients.status import list_connections  # noqa: PLC0415
    from memoria.connectors.clients.table import find_client  # noqa: PLC0415
    from memoria.connectors.clients.wiring import draft_removal  # noqa: PLC0415

    place, program = _surroundings(context.obj)
    clients = _list_clients(context.obj)
    connected = list_connections(place, program, clients) if client is None else ()
    chosen = [one.client for one in connected if one.scope == scope]
    if client is not None:
        chosen = [find_client(client, clients)]
    elif not chosen and not as_json:
        _say("No client is connected: there is nothing to take out.")
    drafts = [
        _ClientChange(
            one,
            scope,
            partial(draft_removal, one, scope, place, program, by_hand=yes),
            (*program.options, "disconnect", one.name, *_scope_words(scope)),
        )
        for one in chosen
    ]
    way = _WayToWrite(dry_run=dry_run, yes=yes, as_json=as_json)
    _carry_out_all(drafts, place, way, is_one=client is not None)


@dataclass(frozen=True, slots=True)
class _ClientChange:
    """A change of a client's files."""

    client: "Client"
    scope: "Scope"
    make: "Callable[[], ClientWiring]"
    words: tuple[str, ...]
    """The command that makes this change alone."""


def _carry_out_all(
    drafts: list[_ClientChange], place: "ClientPlace", way: "_WayToWrite", *, is_one: bool
) -> None:
    """Show, ask and write one change after the other.

    Raises:
        ClientError: the one client that was named can't be changed.
    """
    from memoria.surface.cli.connect_text import WireConnection, wire_failure  # noqa: PLC0415

    results = list[WireConnection]()
    for one in drafts:
        try:
            results.append(_carry_out(one.make, place, replace(way, words=one.words)))
        except ClientError as error:
            if is_one:
                raise
            print_error(error)  # the others are changed all the same
            results.append(wire_failure(one.client, one.scope, error))
    _finish(results, way, is_one=is_one)


def _scope_words(scope: str) -> list[str]:
    return [] if scope == "user" else ["--scope", scope]


def _finish(results: "list[WireConnection]", way: "_WayToWrite", *, is_one: bool) -> None:
    """Print JSON where it is wanted; end with a code that says whether it was done.

    Who was asked and said no has what they wanted.
    """
    if way.as_json:
        documents = [one.to_json() for one in results]
        print_json(documents[0] if is_one else documents)
    undone = [one for one in results if not one.is_written]
    if any(one.problem for one in undone) or (undone and not way.dry_run and not way.asks):
        raise typer.Exit(Exit.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _WayToWrite:
    """Options for carrying out a change."""

    dry_run: bool
    yes: bool
    as_json: bool
    words: tuple[str, ...] = ()
    """The command, as it could be typed again."""

    @property
    def connects(self) -> bool:
        """True for `connect`."""
        return "connect" in self.words

    @property
    def asks(self) -> bool:
        """True if somebody is there to be asked."""
        return not (self.yes or self.as_json) and sys.stdin.isatty()


def _carry_out(
    draft: "Callable[[], ClientWiring]", place: "ClientPlace", choice: _WayToWrite
) -> "WireConnection":
    """Show a change, ask, and write it; drafted anew, if the client wrote its file meanwhile."""
    from memoria.connectors.clients.wiring import apply_wiring  # noqa: PLC0415
    from memoria.surface.cli.connect_text import result_text, wire_connection  # noqa: PLC0415

    wiring = draft()
    if not choice.as_json:
        _print_change(wiring, choice)
    may_write = not choice.dry_run and (choice.yes or not wiring.changes or _ask(wiring, choice))
    result = None
    if may_write:
        result = apply_wiring(wiring if wiring.is_current else draft(), place)
    wire = wire_connection(wiring, result)
    if not choice.as_json and (may_write or not wiring.changes):
        _say(result_text(wire, wiring.client.title, connects=choice.connects))
    elif not choice.as_json:
        unheard = "" if choice.asks or choice.dry_run else " Nobody was asked: this is no terminal."
        _say(
            f"Nothing was changed.{unheard} `memoria {shlex.join(choice.words)} --yes` writes this."
        )
    return wire


def _ask(wiring: "ClientWiring", choice: _WayToWrite) -> bool:
    if not choice.asks:
        return False
    verb = "Connect" if choice.connects else "Disconnect"
    return is_agreed(f"{verb} {wiring.client.title}?")


def _print_change(wiring: "ClientWiring", choice: _WayToWrite) -> None:
    from memoria.surface.cli.connect_text import diff_lines, summary_text  # noqa: PLC0415

    if wiring.changes:
        has_hooks = wiring.client.hooks is not None and "--no-hooks" not in choice.words
        _say(summary_text(wiring, connects=choice.connects, has_hooks=has_hooks))
    for line, style in diff_lines(wiring, shows_all=choice.dry_run):
        out().print(line, style=style, markup=False)
    for note in wiring.notes if wiring.changes else ():
        out().print(f"note: {note}", markup=False)


def _say(text: str) -> None:
    from memoria.surface.cli.layout import columns, wrap_answer  # noqa: PLC0415

    out().print(wrap_answer(text, columns()), markup=False)


def _show_status(
    name: str | None,
    place: "ClientPlace",
    program: "ClientProgram",
    clients: "tuple[Client, ...]",
    *,
    as_json: bool,
) -> None:
    from memoria.connectors.clients import status  # noqa: PLC0415
    from memoria.connectors.clients.installed import find_package  # noqa: PLC0415
    from memoria.connectors.clients.table import find_client  # noqa: PLC0415
    from memoria.surface.cli.connect_text import (  # noqa: PLC0415
        WireStatuses,
        statuses_text,
        wire_status,
    )
    from memoria.surface.cli.progress import show_wait  # noqa: PLC0415

    wanted = [find_client(name, clients)] if name else [*clients]
    found = [
        one for one in status.list_connections(place, program, clients) if one.client in wanted
    ]
    with show_wait("Asking what is connected"):
        probed = [
            replace(one, answer=status.probe_connection(one, place, program)) for one in found
        ]
    left = [one.name for one in wanted if one not in [it.client for it in found]]
    packaged = {name: find_package(name, place) for name in left}
    wire = WireStatuses(
        connections=[wire_status(one) for one in probed],
        packaged={name: package for name, package in packaged.items() if package},
        program=shutil.which("memoria", path=place.environment.get("PATH")),
        unconnected=[
            one.name
            for one in wanted
            if one.name in left and not packaged[one.name] and status.is_installed(one, place)
        ],
    )
    show(wire, statuses_text(wire, {one.name: one.title for one in clients}), as_json=as_json)
    is_lost = bool(wire.packaged) and wire.program is None
    if is_lost or not all(one.is_sound for one in wire.connections):
        raise typer.Exit(Exit.UNSOUND)


def _surroundings(options: Options) -> "tuple[ClientPlace, ClientProgram]":
    from memoria.connectors.clients.interface import (  # noqa: PLC0415
        ClientPlace,
        ClientProgram,
    )

    program = ClientProgram.here(options.home, options.tenant, options.workspace)
    return ClientPlace.here(), program
