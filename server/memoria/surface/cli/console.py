"""What all commands share: opening the memory, printing, and exit codes.

Exit codes: 0 done; 1 it could not be done, and why is on standard error; 2 the command was
misspelt; 3 an import left lines out; 4 doctor found something broken.
"""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypeVar

import anyio
import typer
from pydantic import BaseModel

from memoria.app import Memoria, open_memoria
from memoria.config import Settings
from memoria.model import COMMAND_LINE, Channel

if TYPE_CHECKING:
    from rich.console import Console

_T = TypeVar("_T")

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
    """What the shell is told."""

    FAILED = 1
    LINES_LEFT_OUT = 3
    UNSOUND = 4


@dataclass(frozen=True, slots=True)
class Options:
    """Options before the command."""

    home: str | None
    tenant: str | None

    @property
    def settings(self) -> Settings:
        """The environment's settings under these options."""
        return Settings.load(home=self.home, tenant=self.tenant)


def with_memory(
    context: typer.Context,
    work: Callable[[Memoria], Awaitable[_T]],
    channel: Channel = COMMAND_LINE,
) -> _T:
    """Open the memory the options name, do the work, close it."""
    options: Options = context.obj

    async def opened() -> _T:
        async with open_memoria(settings=options.settings, channel=channel) as memory:
            return await work(memory)

    return anyio.run(opened)


def show(wire: BaseModel, text: str, *, as_json: bool) -> None:
    """Print an answer: as JSON, or as text that is never taken for markup."""
    if as_json:
        sys.stdout.write(wire.model_dump_json(exclude_none=True) + "\n")
    else:
        out().print(text, markup=False)
