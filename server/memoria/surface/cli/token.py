"""Commands on tokens, by which somebody reaches this memory over HTTP."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.app.engine import check_memory
from memoria.bare.home import DEFAULT_TENANT
from memoria.errors import InvalidInputError, quote_value
from memoria.model import now_millis
from memoria.model.access import Access, Token
from memoria.model.base import count_end_chars, write_document
from memoria.model.parse import is_safe_address
from memoria.surface.cli.console import AsJson, Options, is_for_subcommand, show, with_memory
from memoria.surface.cli.times import moment

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.app.all_tokens import TenantTokens
    from memoria.app.tokens import CreatedToken


_NO_END = (
    "--expires: {} is no day to come. Give how long the token holds, such as 90d, or its last "
    "day, such as 2027-01-31; permanent is a token that holds until you revoke it."
)
app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
app.add_typer(group, name="token")


@group.callback()
def list_unless_named(context: typer.Context, as_json: AsJson = False) -> None:
    """List the tokens by which this memory is reached over HTTP; create one, or revoke one."""
    if not is_for_subcommand(context, has_options=as_json):
        list_tokens(context, as_json=as_json)


@group.command("list")
def list_tokens(context: typer.Context, as_json: AsJson = False) -> None:
    """List the tokens: what each allows, until when, and the day when it was last used.

    Without --tenant it lists those of all tenants of the home, or of the folder of homes.
    """
    options: Options = context.obj
    if _names_tenant(options):
        tokens = with_memory(context, lambda memory: memory.tokens.list())
        show(write_document(tokens=tokens), _list_text(tokens), as_json=as_json)
        return
    from memoria.app.all_tokens import list_all_tokens  # noqa: PLC0415  (opens homes)

    settings = options.settings
    if settings.homes is None:
        check_memory(settings)
    held = list_all_tokens(settings)
    document = [{"tenant": one.tenant, **token.to_json()} for one in held for token in one.tokens]
    show({"tokens": document}, _list_all_text(held), as_json=as_json)


@group.command("create")
def create(
    context: typer.Context,
    access: Annotated[
        Access, typer.Option("--access", help="What it allows; each allows what is before it, too.")
    ] = Access.WRITE,
    label: Annotated[str, typer.Option(help="Your own word for whoever gets it.")] = "",
    expires: Annotated[
        str, typer.Option(help="How long it holds: 90d, 2027-01-31, or permanent.")
    ] = "90d",
    url: Annotated[
        str, typer.Option(help="Where clients reach the server, for what they are given.")
    ] = "http://127.0.0.1:8420",
    as_json: AsJson = False,
) -> None:
    """Create a token and show it, this once, with what is pasted into each client.

    With --json, `text` is what a client shows; `token` is what is known of it.
    """
    if not is_safe_address(url) or not url.isprintable() or set(url) & set(" \"'$`\\"):
        raise typer.BadParameter(
            "give where clients reach the server, such as https://memory.example.com. http is for "
            "this machine alone, such as http://127.0.0.1:8420: it would show the token to the "
            "network."
        )

    async def work(memory: "Memoria") -> "CreatedToken":
        from memoria.memories.details import read_end  # noqa: PLC0415  (only this needs it)

        try:
            lasting = "permanent" if expires.strip().lower() == "never" else expires
            end = read_end(lasting, now_millis(), memory.settings.zone)
        except InvalidInputError as error:
            raise InvalidInputError(_NO_END.format(quote_value(expires))) from error
        return await memory.tokens.create(access, label, end.at)

    made = with_memory(context, work, begins_home=True)
    end = made.token.expires_at
    from memoria.surface.cli.client_blocks import name_server, write_blocks  # noqa: PLC0415  (clients)

    text = (
        f"{made.text}\n\n"
        f"It allows `{access}`, {'for good' if end is None else f'until {moment(end)}'}. It is "
        "shown this once: put it where your client keeps secrets. Whoever has it reaches this "
        "memory wherever `memoria serve --http` runs; `memoria token revoke` ends it.\n\n"
        "On the client's machine, where Memoria is installed, this asks for the token and writes "
        f"entry and hooks: memoria connect CLIENT --url {name_server(url)}\n\n"
        "Without Memoria there, paste one of these into the client's file, which is yours alone. "
        "Into a project's file, which others see, goes a variable in place of the token, such as "
        "${MEMORIA_TOKEN} for Claude Code."
    )
    blocks = write_blocks(url, made.text)
    if as_json:
        show(write_document(token=made.token, text=made.text, clients=blocks), "", as_json=True)
        return
    show(made.token, text, as_json=False)
    for place, block in blocks.items():  # as it is: a broken line could not be pasted
        sys.stdout.write(f"\n{place}:\n{block}\n")


@group.command("revoke")
def revoke(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="Its id, or the end of it.")],  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """End a token, whichever tenant has it: a second later at most it opens nothing."""
    options: Options = context.obj
    if not _names_tenant(options):
        from memoria.app.all_tokens import find_token  # noqa: PLC0415  (opens homes)

        settings = options.settings
        if settings.homes is None:
            check_memory(settings)
        having = find_token(settings, id)
        context.obj = replace(options, home=_name_home(having, options), tenant=having.tenant)
    ended = with_memory(context, lambda memory: memory.tokens.revoke(id))
    show(ended, f"{_name(ended)} opens nothing any more.", as_json=as_json)


def _names_tenant(options: Options) -> bool:
    return bool(options.tenant or os.environ.get("MEMORIA_TENANT", "").strip())


def _name_home(having: "TenantTokens", options: Options) -> str | None:
    """Return the home to open for a tenant: in a folder of homes, the folder it was found in."""
    return options.home if options.settings.homes is None else str(having.settings.home_path)


def _list_all_text(held: "Sequence[TenantTokens]") -> str:
    """Render the tokens of tenants, who are named where they are not the default one alone."""
    if all(one.tenant == DEFAULT_TENANT for one in held):
        return _list_text([token for one in held for token in one.tokens])
    chars = count_end_chars(token.id for one in held for token in one.tokens)
    return "\n".join(
        f"{token.id[-chars:]}  {one.tenant}: {_describe(token)}"
        for one in held
        for token in one.tokens
    )


def _list_text(tokens: Sequence[Token]) -> str:
    if not tokens:
        return "There is no token. `memoria token create` makes one."
    chars = count_end_chars(one.id for one in tokens)
    return "\n".join(f"{one.id[-chars:]}  {_describe(one)}" for one in tokens)


def _describe(token: Token) -> str:
    if token.revoked_at is not None:
        state = f"revoked {moment(token.revoked_at)}"
    elif token.expires_at is None:
        state = "for good"
    else:
        state = (
            f"{'until' if token.holds(now_millis()) else 'over since'} {moment(token.expires_at)}"
        )
    used = f"last used {token.last_used_day}" if token.last_used_day else "never used"
    label = f"{token.label}, " if token.label else ""
    return f"{label}{token.access}, {state}, {used}"


def _name(token: Token) -> str:
    return f"The token {token.label or token.id[-8:]}"
