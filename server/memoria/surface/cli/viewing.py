"""The command that opens the viewer."""

import os
import threading
import time
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlencode, urlsplit

import httpx2
import typer

from memoria.bare.remote import is_own_machine
from memoria.errors import InvalidInputError
from memoria.model import now_millis
from memoria.model.access import LINK_BEGINS, Access
from memoria.model.parse import is_web_address
from memoria.surface.cli.console import AsJson, Options, show, with_memory
from memoria.surface.cli.serving import load_for_callers
from memoria.surface.documents import Document

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.app.tokens import CreatedToken

_WITHIN_S = 5.0
_TRIES = 120
_PAUSE_S = 0.25
_UNAUTHORIZED = 401
_NOT_FOUND = 404
_OWN_ADDRESS = "http://127.0.0.1:8420"
ViewerLanguage = Literal["en", "zh"]
_ARGUMENTS = {"search": "query", "session": "session_id", "days": "day"}
"""Argument that says what each page is about, by the page's name."""

app = typer.Typer()


@app.command("ui")
def open_viewer(
    context: typer.Context,
    url: Annotated[
        str, typer.Option(help="Where the server is reached, or is to be started.")
    ] = _OWN_ADDRESS,
    access: Annotated[
        Access, typer.Option("--access", help="What the visitor may do: read, write, or all.")
    ] = Access.ADMIN,
    expires: Annotated[
        str, typer.Option(help="When the visit ends: 12h, 30d, 2027-01-31.")
    ] = "12h",
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the link alone, and open no browser.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            help="Write a page into this file instead, to send: without links, scripts or secrets. "
            "Goes with --search, --session or --day.",
        ),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", help="With --export: what to search for.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", help="With --export: id of a session.")
    ] = None,
    day: Annotated[
        str | None, typer.Option("--day", help="With --export: a date, such as 2026-11-29.")
    ] = None,
    language: Annotated[
        ViewerLanguage | None,
        typer.Option(help="With --export: language of the page; that of the shell by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open the viewer in a browser: what agents are told, and why; what the memory holds.

    The link opens it once, within an hour, and counts as you. If no server runs on this machine,
    one is started and runs until Ctrl-C.
    """
    pages = {"search": search, "session": session, "days": day}
    chosen = {name: value for name, value in pages.items() if value is not None}
    if export is not None or chosen:
        _export(context, export, chosen, language or _find_language(), as_json=as_json)
    else:
        _open(context, url, access, expires, opens=not no_browser, as_json=as_json)


def _open(
    context: typer.Context, url: str, access: Access, expires: str, *, opens: bool, as_json: bool
) -> None:
    """Make a link and open it, with a server that runs or that is started.

    Raises:
        BadParameter: there can be no viewer at the address.
    """
    place = urlsplit(url.rstrip("/"))
    if not is_web_address(url):
        raise typer.BadParameter(f"give the address of the server, such as {_OWN_ADDRESS}")
    is_here = is_own_machine(place.hostname or "")
    if place.scheme == "http" and not is_here:
        raise typer.BadParameter("to another machine the viewer needs https://, by a proxy's TLS")

    async def work(memory: "Memoria") -> "CreatedToken":
        from memoria.memories.details import read_end  # noqa: PLC0415  (only this needs it)

        end = read_end(expires, now_millis(), memory.settings.zone)
        return await memory.tokens.create(access, "viewer", end.at, LINK_BEGINS)

    if not as_json:
        typer.echo("Making a link to the viewer…", err=True)
    made = with_memory(context, work, begins_home=True)
    link = f"{url.rstrip('/')}/ui/enter?{urlencode({'link': made.text})}"
    runs = _find_server(link, url)
    if runs is False and is_here:
        _serve(context.obj, place.netloc, link, opens=opens)
        return
    notes = "" if runs else f"\n{url} does not answer from here."
    document: Document = {"link": link, "expires_at": made.token.to_json().get("expires_at")}
    show(document, f"{link}\nIt opens the viewer once, within an hour.{notes}", as_json=as_json)
    if runs and opens and not as_json:
        webbrowser.open(link)


def _export(
    context: typer.Context,
    file: Path | None,
    chosen: Mapping[str, str],
    language: ViewerLanguage,
    *,
    as_json: bool,
) -> None:
    """Write the one page that was chosen into a new file.

    Raises:
        BadParameter: no page was chosen, or several, or no file.
        InvalidInputError: the file exists, or can't be written.
    """
    if file is None or len(chosen) != 1 or not any(map(str.strip, chosen.values())):
        raise typer.BadParameter(
            "--export FILE goes with one of --search WORDS, --session ID or --day DATE"
        )
    ((name, value),) = chosen.items()

    async def work(memory: "Memoria") -> str:
        from memoria.surface.http.viewer.saving import export_page  # noqa: PLC0415  (half a second of imports)

        further = {"days": {"span": "day"}}.get(name, {})
        return await export_page(memory, name, {_ARGUMENTS[name]: value, **further}, language)

    page = with_memory(context, work, searches=name == "search")
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(page)
    except OSError as error:
        raise InvalidInputError(
            f"{file} can't be written: {error.strerror}. Name another file."
        ) from error
    show(
        {"file": str(file)},
        f"{file} holds the page, without links, scripts or secrets.",
        as_json=as_json,
    )


def _find_language() -> ViewerLanguage:
    """Return the language of the shell's texts, if the viewer has it, or else English."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "zh" if next(filter(None, named), "").startswith("zh") else "en"


def _find_server(link: str, url: str) -> bool:
    """Return whether a server answers that has this memory.

    Raises:
        InvalidInputError: something else answers there.
    """
    try:
        status = httpx2.head(link, timeout=_WITHIN_S).status_code
    except httpx2.HTTPError:
        return False
    if status in (_UNAUTHORIZED, _NOT_FOUND):
        raise InvalidInputError(
            f"What answers at {url} does not have this memory. Name another address, such as "
            "`--url http://127.0.0.1:8421`, or stop that server."
        )
    return True


def _serve(options: Options, address: str, link: str, *, opens: bool) -> None:
    """Start a server, and open the link once it answers."""
    from memoria.surface.http.serve import serve_http  # noqa: PLC0415  (a second of imports)

    typer.echo(f"{link}\nIt opens the viewer once, within an hour. Ctrl-C ends the server.")
    if opens:
        threading.Thread(target=_open_when_served, args=[link], daemon=True).start()
    serve_http(load_for_callers(options), address)


def _open_when_served(link: str) -> None:
    """Open a link in the browser when the server answers."""
    for _ in range(_TRIES):
        try:
            httpx2.head(link, timeout=_WITHIN_S)
        except httpx2.TransportError:
            time.sleep(_PAUSE_S)
        else:
            webbrowser.open(link)
            return
