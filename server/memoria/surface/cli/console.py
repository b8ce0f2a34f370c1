"""What all commands share: opening the memory, printing, and exit codes.

Exit codes: 0 done; 1 it could not be done, and why is on standard error; 2 the command was
misspelt, or names a home or tenant that is not there; 3 an import left lines
out; 4 doctor found something broken.
"""

import io
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import anyio
import typer
from pydantic import BaseModel

from memoria.app import Memoria, find_workspace, open_memoria
from memoria.app.engine import check_memory
from memoria.config import Settings
from memoria.model import COMMAND_LINE, Channel
from memoria.text.invisible import show_invisible

if TYPE_CHECKING:
    from rich.console import Console

_T = TypeVar("_T")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters but tab and newline: stored text must not move the cursor."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@cache
def out() -> "Console":
    """Standard output. Made when first used: a server must not pay for it."""
    from rich.console import Console  # noqa: PLC0415

    return Console(highlight=False, soft_wrap=True)


@cache
def err() -> "Console":
    """Standard error."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=True, highlight=False, soft_wrap=True)


class Exit(IntEnum):
    """Exit codes, beside 0."""

    FAILED = 1
    MISSPELT = 2
    LINES_LEFT_OUT = 3
    UNSOUND = 4


@dataclass(frozen=True, slots=True)
class Options:
    """Options before the command."""

    home: str | None
    tenant: str | None
    workspace: str | None = None

    @property
    def settings(self) -> Settings:
        """The environment's settings under these options."""
        named = self.workspace or os.environ.get("MEMORIA_WORKSPACE")
        place = named or find_workspace(Path.cwd())
        return Settings.load(home=self.home, tenant=self.tenant, workspace=place)

    @property
    def existing_settings(self) -> Settings:
        """The same, of a home and tenant that are there.

        Raises:
            NoMemoryError: they are not.
        """
        settings = self.settings
        check_memory(settings)
        return settings


def with_memory(
    context: typer.Context,
    work: Callable[[Memoria], Awaitable[_T]],
    channel: Channel = COMMAND_LINE,
    *,
    reads_queue: bool = False,
    begins_home: bool = False,
) -> _T:
    """Open the memory the options name, do the work, close it.

    A command ends soon, so it begins no request to a chat model unless that is what it is for. It
    makes no home or tenant unless it keeps something.
    """
    options: Options = context.obj
    settings = options.settings if begins_home else options.existing_settings

    async def open_and_work() -> _T:
        async with open_memoria(
            settings=settings, channel=channel, reads_queue=reads_queue
        ) as memory:
            return await work(memory)

    return anyio.run(open_and_work)


def show(wire: BaseModel, text: str, *, as_json: bool) -> None:
    """Print an answer: as JSON, or as text, verbatim but for what nobody would see.

    What would steer the terminal is left out, and what would hide in it is shown.
    """
    if as_json:
        print_json(wire.model_dump(mode="json", exclude_none=True))
    else:
        sys.stdout.write(show_invisible(_CONTROLS.sub("", text)) + "\n")


def print_json(document: object) -> None:
    """Print one JSON document, escaped where standard output is not Unicode."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(document, ensure_ascii=not unicode, indent=2) + "\n")


def use_any_encoding() -> None:
    """Let no character stop the output: what a terminal can't show is shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
