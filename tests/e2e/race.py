"""Show 2, the start race: how many of the eight tools does the first question have?"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import Process

from tests.e2e.clients.base import TOOLS
from tests.e2e.install import Installed
from tests.e2e.program import Program, command_line
from tests.e2e.stage import Stage, stage
from tests.e2e.stand_in.script import Say

_PROMPT = "Which port does the staging database use?"


@dataclass(frozen=True)
class Start:
    """One start of a client with one server."""

    server: str
    tools: int
    """That the first question told the model of."""
    has_instructions: bool
    asked_after_s: float
    """From the start of the client to its first question."""


def race(installed: Installed, programs: Sequence[Program], runs: int) -> Iterator[Start]:
    """Each server in turn, so often; one start of each before that is not counted."""
    with ExitStack() as open_stages:
        stages = [open_stages.enter_context(stage(installed)) for _ in programs]
        for place, program in zip(stages, programs, strict=True):
            place.client.write_entry(place.home, command_line(program))
            _start(place, program)
        for _ in range(runs):
            for place, program in zip(stages, programs, strict=True):
                yield _start(place, program)


def _start(place: Stage, program: Program) -> Start:
    talk = place.talk(_PROMPT, [Say("I do not know.")])
    tools = place.client.server_tools(talk.turns[0].body) & set(TOOLS)
    instructed = "Memoria is your long-term memory" in talk.text()
    return Start(program.name, len(tools), instructed, talk.turns[0].after_s)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but take a core each."""
    processes = [Process(target=_spin, daemon=True) for _ in range(loops)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        pass
