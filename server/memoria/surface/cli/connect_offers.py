"""Questions of `connect`: may a client read conversations, may a server run maintenance?"""

import typer

from memoria.admin.findings import name_model
from memoria.admin.settings import change_settings
from memoria.connectors.clients.interface import Client, ClientPlace, ClientProgram
from memoria.connectors.clients.status import list_connections
from memoria.connectors.models import Candidate, find_programs
from memoria.connectors.schedules.manage import find_installed
from memoria.errors import ClientError
from memoria.surface.cli.console import Options, is_agreed
from memoria.surface.cli.model import price_text, use_model

_READERS = {"claude-code": "claude", "codex": "codex", "gemini": "gemini", "opencode": "opencode"}
"""Names of readers, by the client that could read."""


def offer_model(
    context: typer.Context,
    connected: list[Client],
    place: ClientPlace,
    program: ClientProgram,
    *,
    is_wanted: bool | None,
    asks: bool,
) -> None:
    """Have a client that was just connected read conversations, if the user wants so.

    A no is written down: agents are not asked to read either, and the question is not put again.

    Args:
        context: of the command.
        connected: clients that the command was about.
        place: where the clients' files are.
        program: what the clients start.
        is_wanted: the option's answer; None without the option.
        asks: whether somebody is there to be asked.

    Raises:
        ClientError: reading is wanted, and none of the clients could read.
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
    """Check whether the question is still without an answer."""
    return options.settings.agents_read and not name_model(options.settings)


def _note_no(options: Options) -> None:
    """Write into the settings that no agent is to read."""
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


_SETTING = "nightly_idle_minutes"
_IDLE_MINUTES = 10


def offer_nights(options: Options) -> None:
    """Ask whether servers may run nightly maintenance, and write the answer down, yes or no.

    There is no question if the setting has a value already or a scheduler has the job.
    """
    settings = options.settings
    if _SETTING in settings.model_fields_set or find_installed(settings).found:
        return
    answer = _IDLE_MINUTES if is_agreed(_QUESTION.format(tokens=settings.nightly_tokens)) else 0
    change_settings(settings.home_path, {_SETTING: str(answer)})


_QUESTION = (
    "Let a server that nobody has asked for ten minutes run `memoria nightly` by itself, once a "
    "day at most? It tidies up, and can be undone for seven days; a chat model, where one reads, "
    "is asked for at most {tokens:,} tokens of its day's."
)
