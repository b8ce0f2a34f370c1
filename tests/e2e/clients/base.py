"""What is asked of a client that can be driven without a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.e2e.stand_in.dialect import Dialect
from tests.e2e.stand_in.script import Call

TOOLS = (
    "forget_memory",
    "get_memory",
    "record_conversation",
    "remember",
    "revise_memory",
    "search_conversation_traces",
    "search_memory",
    "update_scratchpad",
)


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What can be asked of a client."""

    is_packaged: bool = True
    """Whether there is a package of ours for it."""
    reads: bool = True
    """Whether Memoria can have it read."""
    is_told: bool = True
    """Whether its hooks can tell its model something."""
    hears_prompts: bool = True
    """Whether a hook of its can answer a prompt in a headless conversation."""
    is_recorded: bool = True
    """Whether it has hooks."""
    is_imported: bool = True
    """Whether what it keeps of a conversation has the ids that its hooks tell."""
    tells_ends: bool = True
    """Whether a hook of its hears that a conversation of one prompt has ended."""
    holds_one: bool = False
    """Whether its conversations are one, which goes on for ever."""
    says_name: bool = True
    """Whether it says to a server which program it is."""
    goes_on: bool = True
    """Whether the last conversation can be gone on with, without being named."""
    is_warned: bool = False
    """Whether its model can be told a word with a tool call."""


class Client(Protocol):
    """A client of the model context protocol with a headless mode."""

    @property
    def name(self) -> str:
        """As `memoria connect` and `memoria import --format` know it."""

    @property
    def package(self) -> str:
        """On npm, or on PyPI with `is_python`."""

    @property
    def is_python(self) -> bool:
        """Whether it is a package of Python's."""

    @property
    def version(self) -> str:
        """With which the figures in the documents were measured."""

    @property
    def program(self) -> str:
        """What the package installs."""

    @property
    def dialect(self) -> Dialect:
        """The API of its model."""

    @property
    def abilities(self) -> Abilities:
        """What can be asked of it."""

    def environment(self, home: Path, url: str) -> dict[str, str]:
        """Where its files are, which model it asks, and that it asks nobody else."""

    def prepare(self, home: Path, url: str) -> None:
        """Write the settings that a person has who has used it before."""

    def write_entry(self, home: Path, command: Sequence[str]) -> None:
        """Write the entry of a server called `memoria` by hand, and nothing else."""

    def package_commands(self, checkout: Path) -> Sequence[Sequence[str]]:
        """How the client itself installs the package of ours in a checkout."""

    def approve(self, program: Path, environment: Mapping[str, str], folder: Path) -> None:
        """Do what `memoria connect` leaves to the person, as the client would have them do it."""

    def reader(self, program: Path, home: Path, url: str) -> Path:
        """The program that Memoria finds on the path, to have it read."""

    def arguments(self, prompt: str) -> Sequence[str]:
        """Of a conversation of one prompt; its tools need no approval."""

    def resume(self, prompt: str) -> Sequence[str]:
        """Of a prompt that goes on with the last conversation."""

    def calls(
        self, tool: str, arguments: Mapping[str, object], *, is_packaged: bool
    ) -> Sequence[Call]:
        """How its model comes to call a tool, of an entry's server or of a package's."""

    def run(self, command: str) -> Call:
        """How its model runs a line of the shell."""

    def edit(self, file: str, old: str, new: str) -> Sequence[Call]:
        """How its model comes to change a line of a file, named from the project's folder."""

    def server_tools(self, body: Mapping[str, Any]) -> set[str]:
        """Those of the server's tools that a request tells the model of."""
