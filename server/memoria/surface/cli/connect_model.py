"""The one question that `connect` asks about reading: may this client read what is said?"""

import typer

from memoria.admin.chat import name_model
from memoria.admin.settings.change import change_settings
from memoria.connectors.clients.interface import Client
from memoria.connectors.clients.place import ClientPlace
from memoria.connectors.clients.program import ClientProgram
from memoria.connectors.clients.status import list_connections
from memoria.connectors.models.find import Candidate, find_programs
from memoria.errors import ClientError
from memoria.surface.cli.console import Options, is_agreed
from memoria.surface.cli.model import use_model
from memoria.surface.cli.model_text import price_text

_READERS = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
}
"""Clients that could read, and their names as readers."""


def offer_model(
    context: typer.Context,
    connected: list[Client],
    place: ClientPlace,
    program: ClientProgram,
    *,
    is_wanted: bool | None,
    asks: bool,
) -> None:
    """Let a client that was just connected read conversations, if that is wanted.

    A no is written down: agents are not asked to read either, and the question is not put again.

    Args:
        context: of the command.
        connected: the clients that it was about.
        place: where their files are.
        program: what they start.
        is_wanted: what an option says; None where none does.
        asks: whether somebody is there to be asked.

    Raises:
        ClientError: it is wanted, and none of them could.
    """
    options: Options = context.obj
    if is_wanted is False:
        _note_no(options)
        return
    wired = [one.client for one in list_connections(place, program)]
    reader = _find_reader([one for one in connected if one in wired])
    if is_wanted and reader is None:
        raise ClientError(
            "None of these clients could read conversations here. `memoria model` lists who could."
        )
    if reader is None or (is_wanted is None and not (asks and _is_open(options))):
        return
    titles = list(dict.fromkeys(one.title for one in wired))
    if is_wanted or is_agreed(_question(options, reader, titles)):
        use_model(context, reader.name)
    else:
        _note_no(options)


def _is_open(options: Options) -> bool:
    """Check whether the question has had no answer yet."""
    return options.settings.agents_read and not name_model(options.settings)


def _note_no(options: Options) -> None:
    """Write down that nobody is to read, if that is not written yet."""
    if options.settings.agents_read:
        change_settings(options.settings.home_path, {"agents_read": "false"})


def _find_reader(connected: list[Client]) -> Candidate | None:
    wanted = [_READERS[one.name] for one in connected if one.name in _READERS]
    return next((one for one in find_programs() if one.name in wanted), None)


def _question(options: Options, reader: Candidate, titles: list[str]) -> str:
    said = " and ".join(filter(None, (", ".join(titles[:-1]), *titles[-1:])))
    return (
        f"Let {reader.title} read what you say in {said or reader.title}, on your plan? What you "
        "only mention becomes a memory then; without it, only what you ask to have remembered "
        f"does. It goes to {reader.where}; private projects never do. "
        f"{price_text(options.settings)}"
    )
