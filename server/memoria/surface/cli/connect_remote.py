"""A server elsewhere: its address and token, what the token may do, and where both are kept."""

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import typer

from memoria.bare.home import DEFAULT_TENANT, find_home
from memoria.bare.remote import (
    ABOUT,
    ClearTextError,
    RemoteServer,
    ServerRefusalError,
    check_way,
    list_servers,
    server_folder,
    write_server,
)
from memoria.bare.spool import list_aside, list_waiting
from memoria.connectors.clients.config_file import ConnectionLedger
from memoria.connectors.clients.elsewhere import tell_new_token
from memoria.connectors.clients.interface import Client, ClientPlace, ClientProgram, HookWish
from memoria.connectors.clients.rows import TOKEN
from memoria.connectors.clients.status import list_connections
from memoria.errors import (
    ClientError,
    InvalidInputError,
    StoreError,
    StoreUnavailableError,
    quote_value,
)
from memoria.model.access import Access, TokenText
from memoria.surface.cli.console import warn
from memoria.surface.cli.progress import show_wait
from memoria.surface.text import quantity

_WAIT_S = 10.0
_UNFIT = frozenset(" \"'\\")
"""Characters of no token, which would end a text in a client's file."""


def choose_server(home: str | None, url: str, token: str | None, *, asks: bool) -> RemoteServer:
    """Return the server at an address, with its token and the folder for both.

    Args:
        home: the home in which the folder lies; the user's by default.
        url: as the user has typed it, with `/mcp` or without.
        token: of the command line; else the environment, a former connection or the user says it.
        asks: whether somebody is there to be asked.

    Raises:
        InvalidInputError: it is no address, or one that leads over a network in clear text, or
            there is no token.
    """
    address, place = read_address(url), find_home(home)
    try:
        check_way(address)
    except ClearTextError as error:
        raise InvalidInputError(f"--url: {error}.") from error
    known = next((one.token for one in list_servers(place) if one.url == address), None)
    text = token or os.environ.get(TOKEN) or known
    if not text and asks:
        text = typer.prompt("Token", hide_input=True)
    if not text:
        raise InvalidInputError(
            f"There is no token for {address}. `memoria token create` makes one on the machine "
            f"that has the memory. Put it into {TOKEN}, or type it when you are asked."
        )
    if not text.isascii() or not text.isprintable() or _UNFIT & set(text):
        raise InvalidInputError("This is no token: it has characters that none has.")
    parsed = TokenText.parse(text)
    folder = server_folder(place, address, parsed.tenant if parsed else "")
    return RemoteServer(folder, address, text)


def read_address(url: str) -> str:
    """Return the address of a server without `/mcp`.

    >>> read_address("https://memory.example.com/mcp/"), read_address("http://127.0.0.1:8420")
    ('https://memory.example.com', 'http://127.0.0.1:8420')

    Raises:
        InvalidInputError: it is none.
    """
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        has_more = bool(parts.query or parts.fragment) or "@" in parts.netloc or parts.port == 0
    except ValueError:  # a port that is no number
        is_address, has_more = False, False
    if not is_address or has_more or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidInputError(
            f"--url: {quote_value(url)} is no address of a server. Give one such as "
            "https://memory.example.com."
        )
    return url.rstrip("/").removesuffix("/mcp").rstrip("/")


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """Tenant that a token reaches, and what the token allows."""

    tenant: str
    access: Access
    is_read_only: bool
    """True if the server allows reading alone, whatever a token says."""


def check_token(server: RemoteServer, client: str) -> TokenGrant:
    """Ask a server whose memory a token reaches, and what it may do there.

    Args:
        server: whom to ask, with the token.
        client: name of the client that is connected, for the command that mends it.

    Raises:
        ClientError: the server refuses the token.
        StoreUnavailableError: the server can't be reached.
    """
    try:
        server.call("/readyz", None, _WAIT_S)
        about = server.call(ABOUT, None, _WAIT_S)
        access, is_read_only = Access(str(about.get("access"))), about.get("read_only") is True
        return TokenGrant(str(about.get("tenant")), access, is_read_only)
    except ServerRefusalError as error:
        why = f"{server.url}: {str(error).rstrip('.')}. Nothing was changed."
        if error.status == HTTPStatus.UNAUTHORIZED:
            why = f"{why} {tell_new_token(server.url, client)}"
        raise ClientError(why) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StoreUnavailableError(
            f"{server.url} can't be reached: {why or type(error).__name__}. Nothing was changed."
        ) from error


def limit_wish(wish: HookWish, access: Access) -> HookWish:
    """Return the wish for hooks as far as a token lets it be: who only reads records nothing."""
    return wish if access.includes(Access.WRITE) else replace(wish, is_wanted=False)


def describe_token(server: RemoteServer, grant: TokenGrant) -> str:
    """Return in words what a token may do, and what is left out because of it."""
    says = f"The token is for {grant.tenant}'s memory at {server.url}"
    if grant.is_read_only:
        return (
            f"{says}. The server allows reading alone, whatever a token says (`memoria serve "
            "--read-only`), so no hooks are written; connect again once it allows more."
        )
    says += f" and allows `{grant.access}`."
    if not grant.access.includes(Access.WRITE):
        says += " It records nothing, so no hooks are written."
    return says


def keep_server(server: RemoteServer, grant: TokenGrant) -> None:
    """Write address and token down, for the user alone, and send what waits for the server.

    What can't be sent is told, and waits on.

    Raises:
        StoreUnavailableError: address and token can't be written.
    """
    try:
        write_server(str(Path(server.folder).parents[1]), server)
    except OSError as error:
        raise StoreUnavailableError.from_system(error) from error
    try:
        if grant.access.includes(Access.WRITE) and list_waiting(server.folder, DEFAULT_TENANT):
            from memoria.app.collect import send_waiting  # noqa: PLC0415  (takes long to load)

            with show_wait("Sending what waits"):
                send_waiting(server, DEFAULT_TENANT)
    except (OSError, StoreError, InvalidInputError) as error:
        warn(f"What waits for {server.url} could not be sent and waits on: {error}")


def list_outdated(
    server: RemoteServer, place: ClientPlace, program: ClientProgram, clients: tuple[Client, ...]
) -> list[str]:
    """List sentences on clients whose files show another token for a server than the kept one."""
    return [
        f"{one.client.title} has another token, which stays in {one.file} until it is connected "
        f"anew: memoria connect {one.client.name} --url {server.url}"
        for one in list_connections(place, program, clients)
        if one.has_other_token and one.server and one.server.folder == server.folder
    ]


def forget_unused(
    home: str | None, place: ClientPlace, program: ClientProgram, clients: tuple[Client, ...]
) -> list[str]:
    """Delete the folders of servers that no client is connected to, each with its token.

    A folder in which something waits to be sent stays.

    Returns:
        What is to be told of them.
    """
    used = {one.server.folder for one in list_connections(place, program, clients) if one.server}
    said = list[str]()
    written = [*filter(None, map(_read_file, ConnectionLedger(place.ledger).list_files()))]
    for server in list_servers(find_home(home)):
        names = (server.mcp_url.encode(), Path(server.folder).name.encode())
        if server.folder in used or any(name in text for text in written for name in names):
            continue  # the latter by a project's file, in another folder than this
        if reason := _find_reason_to_keep(server):
            said.append(f"{server.folder} stays, with the token for {server.url}: {reason}")
            continue
        shutil.rmtree(server.folder)
        said.append(
            f"The token for {server.url} was deleted from this machine. It holds at the server "
            "until it ends or is revoked there, with `memoria token revoke`."
        )
        with suppress(OSError):  # unless there are others, or a memory
            Path(server.folder).parent.rmdir()
            Path(server.folder).parents[1].rmdir()
    return said


def _read_file(path: Path) -> bytes:
    """Return a file's content; empty if it can't be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _find_reason_to_keep(server: RemoteServer) -> str | None:
    """Return why the folder of a server is not deleted, and what to do; None if it may be."""
    try:
        waiting = len(list_waiting(server.folder, DEFAULT_TENANT))
        aside = len(list_aside(server.folder, DEFAULT_TENANT))
    except OSError as error:
        return f"what waits in it can't be read, {error.strerror}."
    delete = "Delete the folder if nobody is to get them."
    if waiting:
        return (
            f"{quantity(waiting, 'report waits', 'reports wait')} to be sent. `memoria connect "
            f"CLIENT --url {server.url}` has them sent. {delete}"
        )
    unsent = quantity(aside, "report", "reports")
    return f"in it are {unsent} that could not be read or sent. {delete}" if aside else None
