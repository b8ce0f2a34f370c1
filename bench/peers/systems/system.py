"""What the run has to know of a memory server."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.peers.client import Connection, Launch
from bench.peers.envs import Package
from bench.peers.notes import Note, has_assistant

HITS = 50
"""Hits asked for where a tool takes a limit: more than 2,000 tokens of turns."""

Ask = Callable[[Connection, str, int], Awaitable[str]]
"""Asks a question for a budget of tokens; gives the text a model would read."""


async def _nothing_to_wait_for(_: Connection) -> None:
    pass


@dataclass(frozen=True, slots=True)
class System:
    """A memory server, and how its documentation says that a client uses it."""

    name: str
    package: Package | None
    """None: it runs from this project."""
    embeds: str
    """What its vectors are made with, here and by default."""
    launch: Callable[[Path, Path], Launch]
    """How it is started, from its environment and an empty folder for what it keeps."""
    store: Callable[[Connection, Note], Awaitable[bool]]
    """Stores a turn; whether the server says that it kept it."""
    ways: Mapping[str, Ask]
    """The ways to ask it, the one its defaults lead to first."""
    of_user: Mapping[str, Ask] = field(default_factory=dict)
    """Ways to ask for what the user said and not for the assistant's words, by a filter of the
    server's own: where the talk is one of a user with an assistant."""
    takes_budget: bool = False
    """Whether its search is told how many tokens its answer may have."""
    settle: Callable[[Connection], Awaitable[None]] = _nothing_to_wait_for
    """Waits for what the server still does after the last turn."""

    def list_ways(self, notes: Sequence[Note]) -> Mapping[str, Ask]:
        """The ways to ask about such a talk."""
        return {**self.ways, **(self.of_user if has_assistant(notes) else {})}

    @property
    def version(self) -> str:
        """The package with its version."""
        return "this project" if self.package is None else self.package.requirement
