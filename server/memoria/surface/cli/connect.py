"""Commands that wire Memoria into clients: connect, disconnect."""

import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import typer

from memoria.bare.guard_words import note_asked
from memoria.bare.home import find_home, find_tenant
from memoria.bare.remote import list_servers
from memoria.config import Settings
from memoria.connectors.clients.interface import Client, ClientPlace, ClientProgram, HookWish, Scope
from memoria.connectors.clients.rows import TOKEN
from memoria.connectors.clients.status import is_installed, list_connections
from memoria.connectors.clients.table import find_client, list_clients
from memoria.connectors.clients.wiring import (
    ClientWiring,
    apply_wiring,
    draft_connection,
    draft_removal,
)
from memoria.errors import ClientError, InvalidInputError, MemoriaError
from memoria.surface.cli.connect_text import (
    diff_lines,
    result_text,
    show_status,
    summary_text,
    write_connection,
    write_failure,
)
from memoria.surface.cli.console import (
    AsJson,
    Exit,
    Options,
    is_agreed,
    out,
    print_error,
    print_json,
    renew_answers,
    warn,
    warn_of_settings,
)
from memoria.surface.cli.layout import columns, wrap_answer
from memoria.surface.cli.options import (
    ClientArgument,
    GuardOption,
    HooksOption,
    RecallOption,
    ScopeOption,
)
from memoria.surface.documents import Document

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change and write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")]


_MODEL_IN_WORDS = (
    "--model tells of a trial in words. With --json, connect first; then say "
    "memoria model use NAME --json."
)


app = typer.Typer()


@app.command()
def connect(
    context: typer.Context,
    client: ClientArgument = None,
    scope: ScopeOption = "user",
    hooks: HooksOption = True,
    recall: RecallOption = False,
    guard: GuardOption = False,
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
    url: Annotated[
        str | None,
        typer.Option(help="Connect to a server elsewhere, such as https://memory.example.com."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(help="The token for it; else MEMORIA_TOKEN has it, or you are asked."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Wire Memoria into a client: show the change, ask, write it, say what remains to be done.

    Everything else in the client's files stays as it is, byte for byte.
    """
    place, program = _surroundings(context.obj)
    if model and as_json:
        raise ClientError(_MODEL_IN_WORDS)
    if status:
        show_status(client, place, program, _list_clients(context.obj), as_json=as_json)
        return
    way = _WayToWrite(dry_run=dry_run, yes=yes, as_json=as_json)
    clients = _list_clients(context.obj)
    wish = HookWish(is_wanted=hooks, recall=recall, guard=guard)
    if url is not None and client is None:
        clients = tuple(one for one in clients if one.remote is not None)
    chosen = _choose_clients(client, place, scope, clients)
    if url is not None:
        named, is_one = (url, token), client is not None
        _connect_elsewhere(context.obj, named, chosen, scope, place, wish, way, is_one=is_one)
        return
    drafts = [_draft(one, scope, place, program, wish) for one in chosen]
    if client is None and not as_json:
        _say_found(chosen)
    is_written = _carry_out_all(drafts, place, way, is_one=client is not None)
    if not dry_run:
        _lay_ready(context.obj, guard=guard and is_written)
    if not (dry_run or as_json):
        _offer(context, chosen, (place, program), is_wanted=model, asks=way.asks)


def _offer(
    context: typer.Context,
    chosen: list[Client],
    surroundings: tuple[ClientPlace, ClientProgram],
    *,
    is_wanted: bool | None,
    asks: bool,
) -> None:
    """Ask what is to be asked once: who reads conversations, and whether servers do nights."""
    from memoria.surface.cli.connect_offers import offer_model, offer_nights  # noqa: PLC0415  (reads a home)

    offer_model(context, chosen, *surroundings, is_wanted=is_wanted, asks=asks)
    if asks:
        offer_nights(context.obj)


def _connect_elsewhere(
    options: Options,
    named: tuple[str, str | None],
    chosen: list[Client],
    scope: Scope,
    place: ClientPlace,
    wish: HookWish,
    way: "_WayToWrite",
    *,
    is_one: bool,
) -> None:
    """Wire clients to a server elsewhere, once it has said what the token may do."""
    from memoria.surface.cli import connect_remote as remote  # noqa: PLC0415  (who has none pays nothing)

    server = remote.choose_server(options.home, *named, asks=way.asks)
    grant = remote.check_token(server, chosen[0].name if is_one else "")
    if not way.as_json:
        _say(remote.describe_token(server, grant))
    wish = remote.limit_wish(wish, grant.access)
    here = ClientProgram.here(options.home, None, options.workspace)
    program = here.at(server)
    before = ("--home", options.home) if options.home else ()
    drafts = [_draft(one, scope, place, program, wish, before) for one in chosen]
    way = replace(way, prepare=partial(remote.keep_server, server, grant))
    _carry_out_all(drafts, place, way, is_one=is_one)
    if not (way.dry_run or way.as_json):
        for line in remote.list_outdated(server, place, here, _list_clients(options)):
            _say(line)


def _draft(
    client: Client,
    scope: Scope,
    place: ClientPlace,
    program: ClientProgram,
    wish: HookWish,
    before: tuple[str, ...] | None = None,
) -> "_ClientChange":
    flags = [*([] if wish.is_wanted else ["--no-hooks"]), *(["--recall"] if wish.recall else [])]
    flags += ["--guard"] if wish.guard else []
    flags += ["--url", program.server.url] if program.server else []
    draft = partial(draft_connection, client, scope, place, program, wish)
    options = program.options if before is None else before
    words = (*options, "connect", client.name, *_scope_words(scope), *flags)
    return _ClientChange(client, scope, draft, words)


def _say_found(clients: list[Client]) -> None:
    """Say which clients are on this machine."""
    titles = ", ".join(one.title for one in clients)
    _say(f"Found here: {titles}. `memoria connect --help` lists all that can be named.")


def _lay_ready(options: Options, *, guard: bool) -> None:
    """Keep answers for a client's first session, if there is a memory already."""
    if guard:  # else no word would be there at the first call
        with suppress(OSError):  # the hook notes it, too
            note_asked(find_home(options.home, options.tenant), find_tenant(options.tenant))
    with suppress(MemoriaError):  # the memory begins later, or is damaged: the next command says so
        renew_answers(options.existing_settings, begins=True)


def _list_clients(options: Options) -> tuple[Client, ...]:
    """List all clients, including those from packages that the settings name."""
    packages: tuple[str, ...] = ()
    try:
        warn_of_settings(find_home(options.home, options.tenant))
        packages = Settings.load(home=options.home, tenant=options.tenant).connectors or ()
    except InvalidInputError as error:  # `disconnect` works without settings
        warn(str(error))
    return list_clients(packages, warn)


def _choose_clients(
    name: str | None, place: ClientPlace, scope: Scope, clients: tuple[Client, ...]
) -> list[Client]:
    """Return the client of this name; without a name, the clients found on this machine.

    Raises:
        ClientError: no client is found.
    """
    if name is not None:
        return [find_client(name, clients)]
    found = [one for one in clients if is_installed(one, place) and one.config(place, scope)]
    if not found:
        raise ClientError("No client was found on this machine. Name one: memoria connect codex")
    return found


@app.command()
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
    try:
        _carry_out_all(drafts, place, way, is_one=client is not None)
    finally:
        if not dry_run and list_servers(find_home(context.obj.home)):
            from memoria.surface.cli.connect_remote import forget_unused  # noqa: PLC0415  (as above)

            for line in forget_unused(context.obj.home, place, program, clients):
                if not as_json:
                    _say(line)


@dataclass(frozen=True, slots=True)
class _ClientChange:
    """A change of a client's files."""

    client: Client
    scope: Scope
    make: Callable[[], ClientWiring]
    words: tuple[str, ...]
    """Words of the command that makes this change alone."""


def _carry_out_all(
    drafts: list[_ClientChange], place: ClientPlace, way: "_WayToWrite", *, is_one: bool
) -> bool:
    """Show each change, ask, and write it, one after the other; return whether any was written.

    Raises:
        ClientError: the one client that was named can't be changed.
    """
    results: list[Document] = []
    for one in drafts:
        try:
            results.append(_carry_out(one.make, place, replace(way, words=one.words)))
        except ClientError as error:
            if is_one:
                raise
            print_error(error)  # other clients are changed all the same
            results.append(write_failure(one.client, one.scope, error))
    _finish(results, way, is_one=is_one)
    return any(one["is_written"] for one in results)


def _scope_words(scope: str) -> list[str]:
    return [] if scope == "user" else ["--scope", scope]


def _finish(results: list[Document], way: "_WayToWrite", *, is_one: bool) -> None:
    """Print the results as JSON if asked to; exit with an error code if a change was not made.

    A no to the question is no error.
    """
    if way.as_json:
        print_json(results[0] if is_one else results)
    undone = [one for one in results if not one["is_written"]]
    if any("problem" in one for one in undone) or (undone and not way.dry_run and not way.asks):
        raise typer.Exit(Exit.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _WayToWrite:
    """Options for carrying out a change."""

    dry_run: bool
    yes: bool
    as_json: bool
    words: tuple[str, ...] = ()
    """Words of the command, to be typed again."""
    prepare: Callable[[], None] = lambda: None
    """What is done before the first file is written."""

    @property
    def connects(self) -> bool:
        """True for `connect`."""
        return "connect" in self.words

    @property
    def asks(self) -> bool:
        """True if somebody is there to be asked."""
        return not (self.yes or self.as_json) and sys.stdin.isatty()


def _carry_out(
    draft: Callable[[], ClientWiring], place: ClientPlace, choice: _WayToWrite
) -> Document:
    """Show a change, ask, and write it; if the client wrote its file meanwhile, draft it anew."""
    wiring = draft()
    if not choice.as_json:
        _print_change(wiring, choice)
    may_write = not choice.dry_run and (choice.yes or not wiring.changes or _ask(wiring, choice))
    result = None
    if may_write:
        choice.prepare()
        result = apply_wiring(wiring if wiring.is_current else draft(), place)
    if not choice.as_json and (may_write or not wiring.changes):
        _say(result_text(wiring, result, connects=choice.connects))
    elif not choice.as_json:
        unheard = "" if choice.asks or choice.dry_run else " Nobody was asked: this is no terminal."
        token = f"{TOKEN}=… " if "--url" in choice.words else ""
        command = f"{token}memoria {shlex.join(choice.words)} --yes"
        _say(f"Nothing was changed.{unheard} `{command}` writes this.")
    return write_connection(wiring, result)


def _ask(wiring: ClientWiring, choice: _WayToWrite) -> bool:
    if not choice.asks:
        return False
    verb = "Connect" if choice.connects else "Disconnect"
    return is_agreed(f"{verb} {wiring.client.title}?")


def _print_change(wiring: ClientWiring, choice: _WayToWrite) -> None:
    if wiring.changes:
        has_hooks = wiring.client.hooks is not None and "--no-hooks" not in choice.words
        _say(summary_text(wiring, connects=choice.connects, has_hooks=has_hooks))
    for line, style in diff_lines(wiring, shows_all=choice.dry_run):
        out().print(line, style=style, markup=False)
    for note in wiring.notes if wiring.changes else ():
        out().print(f"note: {note}", markup=False)


def _say(text: str) -> None:
    out().print(wrap_answer(text, columns()), markup=False)


def _surroundings(options: Options) -> tuple[ClientPlace, ClientProgram]:
    program = ClientProgram.here(options.home, options.tenant, options.workspace)
    return ClientPlace.here(), program
